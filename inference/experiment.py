"""An experiment: what all have in common, and the options of its kind."""

from dataclasses import field
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from inference.kinds.options import (
    CONFIG,
    Listed,
    Natural,
    Positive,
    Temperature,
    Text,
)


@dataclass(frozen=True, config=CONFIG)
class Decoding:
    """Decoding settings for judges that do not set their own; None sends none."""

    temperature: Temperature = 0.01
    max_tokens: Positive = 4096
    presence_penalty: Annotated[float, Field(ge=-2, le=2, strict=True)] | None = None
    answer_seed: Natural | None = None

    @property
    def settings(self) -> dict[str, float | int]:
        """The settings of every request, those that are not set left out."""
        later = {"presence_penalty": self.presence_penalty, "seed": self.answer_seed}
        known = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        return known | {name: value for name, value in later.items() if value is not None}


@dataclass(frozen=True, config=CONFIG)
class Experiment:
    """One experiment.

    Attributes:
        template: The prompt's name; of kinds with arms that of the first.
        datasets: The data sets it runs on; `*` alone means all that have what is asked about.
        seed: Orders the items, and draws what arms leave to chance.
        superseded_by: The experiment to use instead; None for those in use.
    """

    name: Text
    template: Text
    options: Any = field(kw_only=True)
    title: str = ""
    description: str = ""
    datasets: Listed[Text] = ("*",)
    repeats: Positive = 1
    seed: Natural = 20250701
    decoding: Decoding = Decoding()
    superseded_by: Text | None = None

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return str(self.options.kind)

    @property
    def arms(self) -> tuple[Any, ...]:
        """Ways to ask about each item; empty for kinds with one."""
        return tuple(self.options.arms)

    @property
    def requests_per_item(self) -> int:
        """How often each item is asked about."""
        return max(len(self.arms), 1) * self.repeats
