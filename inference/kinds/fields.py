"""What fields of journal lines must be, checked by name, and what rows made of lines are called."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any


# Not a named tuple, whose attributes take longer to read: it is done for every field of every line.
@dataclass(frozen=True, slots=True)
class FieldType:
    """What a field of a journal line must be.

    Attributes:
        types: Its types in Python, compared exactly: to Python, true is a whole number.
        limit: A whole number's absolute value is below it, as its column asks.
    """

    expected: str
    types: frozenset[type]
    limit: int = 2**63


TEXT = FieldType("text", frozenset({str}))
BIG = FieldType("a whole number", frozenset({int}))
WHOLE = FieldType("a whole number", frozenset({int}), 2**31)
NUMBER = FieldType("a number", frozenset({int, float}))
TRUTH = FieldType("true or false", frozenset({bool}))
LIST = FieldType("a list", frozenset({list}))
# What every answer line has that can be read.
REPLIED = {"request_id": TEXT, "response": TEXT}
_ID_DIGITS = 16


def check(
    line: Mapping[str, Any],
    must: Mapping[str, FieldType],
    may: Mapping[str, FieldType] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return fields of a line, each of its kind."""
    row = {}
    for name, kind in must.items():
        value = row[name] = line[name]
        found = type(value)
        # Written out here and below, for the same reason.
        if found not in kind.types or (found is int and not -kind.limit < value < kind.limit):
            raise _other_type(name, kind, value)
    for name, kind in may.items():
        value = row[name] = line.get(name)
        if value is None:
            continue
        found = type(value)
        if found not in kind.types or (found is int and not -kind.limit < value < kind.limit):
            raise _other_type(name, kind, value)
    return row


def check_if_any(line: Mapping[str, Any], fields: Mapping[str, FieldType]) -> dict[str, Any]:
    """Return fields that may be missing or null, each of its kind where it is not."""
    return check(line, {}, fields)


def columns_of(
    line: Mapping[str, Any], table: str, must: tuple[str, ...], may: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return fields of a line that are columns of a raw table, each of its column's type."""
    return check(line, *_types(table, must, may))


@cache
def _types(table: str, *names: tuple[str, ...]) -> tuple[dict[str, FieldType], ...]:
    # Imported here: what the limits of columns are made of takes its time.
    from warehouse.records.core import Int
    from warehouse.records.tables import columns

    known = {str: TEXT, bool: TRUTH, float: NUMBER, int: BIG, Int: WHOLE}
    types = {each.name: known[each.kind] for each in columns(table) if each.kind in known}
    return tuple({name: types[name] for name in those} for those in names)


def _other_type(name: str, kind: FieldType, value: Any) -> TypeError:
    below = f" below {kind.limit}" if type(value) in kind.types else ""
    return TypeError(f"{name} should be {kind.expected}{below}; found {value!r}")


def check_known(line: Mapping[str, Any], name: str, known: tuple[Any, ...]) -> None:
    """Refuse a line in which a field has a value there is not."""
    if line[name] not in known:
        shown = ", ".join(map(str, known))
        raise ValueError(f"{name} should be one of {shown}; found {line[name]!r}")


def objects(found: Any, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; none where there is no list."""
    if found is None:
        return
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise TypeError(f"{name} should be a list of objects")
    yield from found


def answer_id(item_id: str, request_id: str) -> str:
    """Return what an answer is called, the same in every run that holds it."""
    return f"{item_id}@{request_id[:_ID_DIGITS]}"
