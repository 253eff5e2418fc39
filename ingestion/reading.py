"""Foreign records as pydantic models, and the rejects, repairs and files of a source."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from ingestion.batch import Reject, Rejects, SourceFile, original_of
from ingestion.json_values import storable
from ingestion.landing import Landed
from ingestion.records import Record
from warehouse.records.core import first_problem
from warehouse.records.oversight import ReadingQuestion, Story

_SAME: Mapping[str, str] = {}
Model = TypeVar("Model")


class BrokenRecord(Exception):
    """A record breaks the contract: which field, and how."""

    def __init__(self, field_name: str | None, reason: str) -> None:
        super().__init__(reason)
        self.field, self.reason = field_name, reason


def validated(model: type[Model], fields: Any, names: Mapping[str, str] = _SAME) -> Model:
    """Return foreign fields as a pydantic model or record.

    Args:
        names: The file's names of the model's fields, where they differ.

    Raises:
        BrokenRecord: The first broken rule, with the field's path such as `teams[2].side`.
    """
    try:
        value: Model = _adapter(model).validate_python(fields)
        return value
    except ValidationError as error:
        detail = error.errors(include_url=False, include_context=False)[0]
        name, reason = first_problem(error)
        path = names.get(name, name) + "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"][1:]
        )
        if detail["type"] == "missing":
            reason = "is missing"
        elif detail["type"] in ("model_type", "dataclass_type"):
            reason = f"should be an object; found {reason.partition('; found ')[2]}"
        raise BrokenRecord(path or None, reason) from None


def expected(words: str) -> WrapValidator:
    """Annotation of a model's field: rejects read "should be <words>; found …"."""

    def validate(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise ValueError(f"should be {words}") from None

    return WrapValidator(validate)


def _or_none(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError:
        return None


# Annotation of an optional field of a model: a value of another type is none.
OR_NONE = WrapValidator(_or_none)

_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


@dataclass
class Reading:
    """Collects what is not a debate while debates stream past.

    Attributes:
        records: Debates met so far, rejected ones included.
        cells: Cells met so far that are rejected on their own, rejected ones included.
        repaired: How often something was read in spite of a fault, by what was done.
        places: The record of each claimed id.
    """

    shown: str
    records: int = 0
    cells: int = 0
    rejects: list[Reject] = field(default_factory=Rejects)
    repaired: Counter[str] = field(default_factory=Counter)
    places: dict[str, str] = field(default_factory=dict)
    _said: list[str] = field(default_factory=list)
    _claimed: str | None = None

    def reject(self, place: str, field_name: str | None, reason: str, original: Any) -> None:
        """Quarantine a record or a part of one."""
        # A reason may show half a surrogate pair, which no database takes.
        reason, kept = storable(reason), original_of(original)
        self.rejects.append(Reject(self.shown, storable(place), field_name, reason, kept))

    def reject_cells(
        self, place: str, field_name: str, reason: str, original: Any, weight: int = 1
    ) -> None:
        """Quarantine cells of a record and keep the rest of it.

        They count as their record unless the reader counts all cells in `cells`.
        """
        self.reject(place, field_name, reason, original)
        self.rejects[-1] = self.rejects[-1]._replace(weight=weight, is_cells=True)

    def kept(self, rows: Iterable[Record | Reject]) -> Iterator[Record]:
        """Yield a file's good rows, keep its bad ones, and count both."""
        for row in rows:
            if isinstance(row, Reject):
                self.records += row.weight
                self.rejects.append(row)
            else:
                self.records += 1
                yield row

    def rows_of(
        self,
        records: Iterable[Record | Reject],
        make: Callable[[Record], Iterable[Any]],
        names: Mapping[str, str] = _SAME,
    ) -> Iterator[Any]:
        """Yield the rows that good records become; a record that breaks the contract is rejected.

        Args:
            make: Returns the rows of a record, or raises `BrokenRecord`.
            names: The file's names of our columns, where they differ.
        """
        for record in self.kept(records):
            with self.whole(record.place, record.fields, names):
                yield from list(make(record))

    def claim(self, key: str, place: str, field_name: str | None = None) -> None:
        """Keep an id for the record that is read, unless something is wrong with it.

        Raises:
            BrokenRecord: An earlier record has it.
        """
        if key in self.places:
            raise BrokenRecord(field_name, f"duplicate id: {key} is {self.places[key]} already")
        self.places[key] = place
        self._claimed = key

    @contextmanager
    def whole(
        self, place: str, original: Any, names: Mapping[str, str] = _SAME, within: str = ""
    ) -> Iterator[None]:
        """Quarantine a record, or the part that is read inside, where it breaks the contract.

        Args:
            place: Which record.
            original: What is kept of it.
            names: What the file calls our columns, where it calls them otherwise.
            within: What stands before a column's name in messages.
        """
        self._claimed = None
        try:
            yield
            return
        except BrokenRecord as broken:
            self.reject(place, broken.field, broken.reason, original)
        except ValidationError as error:
            name, reason = first_problem(error)
            self.reject(place, within + names.get(name, name), reason, original)
        if self._claimed is not None:
            del self.places[self._claimed]

    def source_file(self, landed: Landed) -> SourceFile:
        """Return the file as the user named it, with what was counted in it."""
        return SourceFile(self.shown, landed.label, landed.sha256, self.records, self.cells)

    def note(self, sentence: str) -> None:
        """Keep something a user should know about how the source was read."""
        self._said.append(sentence)

    @property
    def notes(self) -> list[str]:
        """What a user should know, repairs with their counts last."""
        return self._said + [f"{what}: {count:,}" for what, count in sorted(self.repaired.items())]


@dataclass(frozen=True)
class StoriesRead:
    """The stories that debates of a source are about, and the questions, by their ids."""

    stories: dict[str, Story] = field(default_factory=dict)
    questions: dict[str, ReadingQuestion] = field(default_factory=dict)
