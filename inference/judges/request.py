"""A request to a judge: one item and one variant, as often as an experiment repeats it."""

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
        kind: The kind of its item, with all that differs between kinds.
        prompt: The template filled in. Judges that are not models look at the item instead.
        decoding: The experiment's decoding settings, for judges that do not set their own.
        labels: The answers to choose from, as they are to be written; none for free text.
        system: The system turn before the prompt, if any.
        finished_steps: The finished steps of an earlier attempt, which need not be repeated. No
            part of the question.
        note_prompts: The prompts for the notes that the prompt shows; none where it shows the
            debate itself.
        keep_step: Keeps a finished step of a transcript before the next is sent. No part of the
            question.
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
        """Return the item as one of a class.

        Raises:
            TypeError: It is of another class.
        """
        if not isinstance(self.item, known):
            raise TypeError(f"'{self.item.item_id}' is no {known.__name__}")
        return self.item

    def way(self, known: type[_Known]) -> _Known:
        """Return the variant as one of a class.

        Raises:
            TypeError: It is of another class.
        """
        if not isinstance(self.variant, known):
            raise TypeError(f"'{self.item.item_id}' is not asked about by a {known.__name__}")
        return self.variant

    @property
    def asks(self) -> str:
        """The question as text: the dimension, the metric, or the variant."""
        return self.variant.words

    @property
    def overrides(self) -> dict[str, float]:
        """Decoding settings of the request's arm, which come before the judge's own."""
        return dict(self.description.overrides)

    @cached_property
    def description(self) -> Description:
        """The request as its id, the judges and the journal need it."""
        return self.kind.describe(self)

    @cached_property
    def costs(self) -> CostHints:
        """The cost of the request, as far as it is known before it is sent."""
        return self.kind.costs(self)

    @property
    def sent(self) -> str:
        """Everything that is sent as text, the system turn first."""
        return self.prompt if self.system is None else f"{self.system}\n\n{self.prompt}"

    def identity(self) -> dict[str, Any]:
        """Return all that distinguishes this request from others of its judge but its prompt."""
        apart = self.description.identity
        return {"item_id": self.item.item_id, **apart, "sample": self.sample}

    def facts(self) -> dict[str, Any]:
        """Return the facts of this request for judges that see the item instead of a prompt."""
        return dict(self.description.facts())
