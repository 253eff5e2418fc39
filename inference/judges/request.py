"""What a judge is asked: one item, in one way, as often as an experiment repeats it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from inference.kinds.protocol import CostHints, Description, Factors, Item, Kind
    from inference.templates import Template

_Known = TypeVar("_Known")


@dataclass(frozen=True)
class Request:
    """One question to a judge.

    Attributes:
        kind: What kind of item it is about, which knows all that differs between kinds.
        prompt: The template filled in. Judges that are not models look at the item instead.
        decoding: The experiment's decoding settings, for judges that do not set their own.
        labels: The answers there are to choose from, as they are to be written; none where the
            answer is free text or no text at all.
        system: What the system turn says before the prompt; None where there is none.
        finished_steps: The steps of an earlier attempt that failed later
            on: they need not be asked for again. No part of what is asked.
        note_prompts: The prompts whose replies, notes on a speech each, the prompt is yet to be
            given; none where the prompt shows the debate itself.
        keep_step: Keeps what a step of a transcript brought, before the next is asked for; None
            where nobody does. No part of what is asked.
    """

    kind: Kind
    item: Item
    variant: Factors
    template: Template
    sample: int
    prompt: str
    decoding: Mapping[str, float | int]
    labels: tuple[str, ...] = ()
    system: str | None = None
    finished_steps: tuple[Mapping[str, Any], ...] = ()
    note_prompts: tuple[str, ...] = ()
    keep_step: Callable[[Mapping[str, Any]], Awaitable[None]] | None = None

    def about(self, known: type[_Known]) -> _Known:
        """Return the item as what a judge takes it for.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(self.item, known):
            raise TypeError(f"'{self.item.item_id}' is no {known.__name__}")
        return self.item

    def way(self, known: type[_Known]) -> _Known:
        """Return how it is asked about, as what a judge takes it for.

        Raises:
            TypeError: It is asked about in another way.
        """
        if not isinstance(self.variant, known):
            raise TypeError(f"'{self.item.item_id}' is not asked about by a {known.__name__}")
        return self.variant

    @property
    def asks(self) -> str:
        """What is asked, as text: the dimension, the metric, or the way of asking."""
        return self.variant.words

    @property
    def overrides(self) -> dict[str, float]:
        """Decoding settings of the request's arm, which come before the judge's own."""
        return dict(self.description.overrides)

    @cached_property
    def description(self) -> Description:
        """The request as its id, the judges and the journal need it."""
        return self.kind.describe(self)

    @property
    def costs(self) -> CostHints:
        """What the request takes, as far as it is known before it is sent."""
        return self.kind.costs(self)

    @property
    def sent(self) -> str:
        """Everything that is sent as text, the system turn first."""
        return self.prompt if self.system is None else f"{self.system}\n\n{self.prompt}"

    def identity(self) -> dict[str, Any]:
        """What tells this request apart from all others of its judge, besides its prompt."""
        apart = self.description.identity
        return {"item_id": self.item.item_id, **apart, "sample": self.sample}

    def facts(self) -> dict[str, Any]:
        """What tells this request apart for judges that see the item instead of a prompt."""
        return dict(self.description.facts())
