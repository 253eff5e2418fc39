"""Options of a kind: what its experiment files have besides what all experiments have.

Each kind has a pydantic dataclass of its own, whose fields are the keys and tables of the file. A
table of lists is crossed into arms: the last key varies fastest.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import product
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    Strict,
    WrapValidator,
    model_validator,
)
from pydantic.dataclasses import dataclass

T = TypeVar("T")
# Built once the first experiment of a kind is read.
CONFIG = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True, defer_build=True)

Flag = Annotated[bool, Strict()]
Natural = Annotated[int, Strict(), Field(ge=0)]
Positive = Annotated[int, Strict(), Field(ge=1)]
WordCount = Annotated[int, Strict(), Field(ge=10)]
Text = Annotated[str, Field(min_length=1)]
Temperature = Annotated[float, Strict(), Field(ge=0, lt=100)]
Listed = Annotated[tuple[T, ...], Field(min_length=1)]


def combinations(table: Any, names: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield every combination of the lists of a table, or of some of them, as keywords."""
    names = names or [each.name for each in fields(table)]
    for values in product(*(getattr(table, name) for name in names)):
        yield dict(zip(names, values, strict=True))


class Crossed:
    """Type of a field that a file has as a table, and an experiment as arms."""

    def __init__(self, table: Any, arms: Callable[[Any], Iterable[Any]]) -> None:
        self.model = table
        self._arms = arms

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> Any:
        """Return the table's schema, wrapped so that arms made in code pass as they are."""
        return WrapValidator(self._read).__get_pydantic_core_schema__(self.model, handler)

    def _read(self, value: Any, read_table: Callable[[Any], Any]) -> tuple[Any, ...]:
        return value if isinstance(value, tuple) else tuple(self._arms(read_table(value)))


@dataclass(frozen=True, config=CONFIG)
class Sampling:
    """Sampling of items; a kind has keys of its own."""


@dataclass(frozen=True, config=CONFIG)
class QuestionSampling(Sampling):
    """Sampling of kinds about questions about stories.

    Attributes:
        questions: How many, in the order of the seed; None for all. The same seed and number choose
            the same questions when models answer and when their answers are judged.
    """

    questions: Positive | None = None


@dataclass(frozen=True, kw_only=True, config=CONFIG)
class KindOptions:
    """Options of a kind; each kind has a subclass."""

    # The name of the kind.
    kind: ClassVar[str]
    # The fields that hold arms, and the table among them that is crossed.
    arm_fields: ClassVar[tuple[str, ...]] = ()
    crossed_table: ClassVar[str | None] = None
    # The key of the arms in an experiment's definition.
    arms_key: ClassVar[str | None] = None
    # Whether its items come out of other runs' journals.
    is_journalled: ClassVar[bool] = False
    advice_on_same_arms: ClassVar[str] = "ask several times with repeats"

    sampling: Sampling = Sampling()

    @classmethod
    def from_file(cls, content: Mapping[str, Any], template: Any) -> dict[str, Any]:
        """Return the fields in a file, with its template as that of a table without one."""
        if cls.crossed_table is None:
            return dict(content)
        table = content.get(cls.crossed_table, {})
        if isinstance(table, dict) and template is not None:
            table = {"template": [template], **table}
        return {**content, cls.crossed_table: table}

    @property
    def arms(self) -> tuple[Any, ...]:
        """Ways to ask about each item; empty for kinds with one."""
        return tuple(arm for name in self.arm_fields for arm in getattr(self, name))

    @property
    def template(self) -> str | None:
        """Prompt of the first arm; None for kinds whose prompt the file names."""
        return getattr(self.arms[0], "template", None) if self.arms else None

    def definition(self) -> dict[str, Any]:
        """Return what decides, besides what all experiments have, what is asked."""
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in ("sampling", *self.arm_fields):
            del facts[name]
        if self.arms_key is not None:
            facts[self.arms_key] = [asdict(arm) for arm in self.arms]
        return {**asdict(self.sampling), **facts}

    def header(self) -> dict[str, Any]:
        """Return what a run's header has of the options."""
        return {"arms": [asdict(arm) for arm in self.arms]}

    @model_validator(mode="after")
    def _checked(self) -> Self:
        self.check()
        return self

    def check(self) -> None:
        """Refuse what does not go together."""
        arms = self.arms
        for place, arm in enumerate(arms):
            if arm in arms[:place]:
                raise ValueError(
                    f"it has the arm '{arm.words}' of prompt '{arm.template}' twice; "
                    f"{self.advice_on_same_arms}"
                )
