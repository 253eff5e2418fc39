"""Files of a data set's items: one reader, which takes the columns that an item's fields name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from inference.errors import BadItems
from inference.items import BATCH_ROWS, ItemSource, read_rows

T = TypeVar("T")
# A debate or a story may be half a megabyte of text.
LONG_ROWS = 8


@dataclass(frozen=True)
class ItemFile(Generic[T]):
    """A file of a data set, and the items that its rows are.

    Attributes:
        item: The items' dataclass. A field without a default is a column of its name.
        absent: The message where a data set has no such file, with `{}` for the data set.
        columns: The columns of fields that have another name; several make a tuple.
        blank: What a null stands for, by field; elsewhere it stays None.
    """

    item: type[T]
    name: str
    absent: str
    columns: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    blank: Mapping[str, Any] = field(default_factory=dict)
    batch_rows: int = BATCH_ROWS

    def path(self, source: ItemSource) -> Path:
        """Return the file of a data set, which must be there."""
        path = source.file(self.name)
        if path is None:
            raise BadItems(self.absent.format(source.dataset_id))
        return path

    def read(self, source: ItemSource) -> Iterator[T]:
        """Yield the items of a data set, a few in memory at a time."""
        named = {
            each.name: self.columns.get(each.name, each.name)
            for each in fields(self.item)  # type: ignore[arg-type]
            if each.default is MISSING and each.name != "dataset_id"
        }
        wanted = [
            column
            for names in named.values()
            for column in ([names] if isinstance(names, str) else names)
        ]
        for row in read_rows(source.dataset_id, self.path(source), wanted, self.batch_rows):
            values = {
                name: row[of] if isinstance(of, str) else [row[each] for each in of]
                for name, of in named.items()
            }
            for name, value in self.blank.items():
                values[name] = values[name] or value
            yield record_of(self.item, {"dataset_id": source.dataset_id, **values})

    def column(self, source: ItemSource, name: str) -> Iterator[Any]:
        """Yield one column's value of every row, in the file's order, and read no other."""
        for row in read_rows(source.dataset_id, self.path(source), (name,)):
            yield row[name]

    def keys(self, source: ItemSource) -> Iterator[str]:
        """Yield the id of every item `read` yields, in its order, without any text."""
        return self.column(source, str(self.columns.get("item_id", "item_id")))


def record_of(kind: type[T], values: Mapping[str, Any]) -> T:
    """Return the record of some fields, such as those its `asdict` has.

    Where a field is a tuple its value may be a list, and the records in it objects.
    """
    known: Any = kind
    makers = _makers(known)
    made = {name: make(values[name]) for name, make in makers.items() if name in values}
    return kind(**{**values, **made})


@cache
def _makers(kind: Any) -> dict[str, Callable[[Any], Any]]:
    """Return what makes a value of those fields that are tuples."""
    found: dict[str, Callable[[Any], Any]] = {}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is tuple:
            part: Any = get_args(hint)[0]
            has_records = is_dataclass(part)
            found[name] = partial(_records, part) if has_records else tuple
    return found


def _records(part: type[Any], values: Any) -> tuple[Any, ...]:
    names = [each.name for each in fields(part)]
    return tuple(part(**{name: each[name] for name in names}) for each in values)
