"""What fields of journal lines must be, checked by name, and what rows made of lines are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

# What a message calls it, and what it is.
FieldType = tuple[str, Any]
TEXT: FieldType = ("text", str)
WHOLE: FieldType = ("a whole number", int)
NUMBER: FieldType = ("a number", int | float)
TRUTH: FieldType = ("true or false", bool)
_ID_DIGITS = 16


def check(line: Mapping[str, Any], fields: Mapping[str, FieldType]) -> None:
    """Refuse a line in which a field is missing or of another kind.

    Raises:
        KeyError: It is missing.
        TypeError: It is of another kind.
    """
    for name, kind in fields.items():
        _check(name, line[name], kind)


def check_if_any(line: Mapping[str, Any], fields: Mapping[str, FieldType]) -> dict[str, Any]:
    """Return fields that may be missing or null, each of its kind where it is not.

    Raises:
        TypeError: One is of another kind.
    """
    found = {name: line.get(name) for name in fields}
    for name, value in found.items():
        if value is not None:
            _check(name, value, fields[name])
    return found


def columns_of(
    line: Mapping[str, Any], table: str, must: Sequence[str], may: Sequence[str] = ()
) -> dict[str, Any]:
    """Return fields of a line that are columns of a raw table, each of its column's type.

    Args:
        line: The line, or an object in it.
        table: The table, without its schema.
        must: The fields that must be there.
        may: Those that may be missing or null.

    Raises:
        KeyError: One is missing.
        TypeError: One is of another kind.
    """
    types = _types(table)
    check(line, {name: types[name] for name in must})
    found = {name: line[name] for name in must}
    return found | check_if_any(line, {name: types[name] for name in may})


@cache
def _types(table: str) -> dict[str, FieldType]:
    # Imported here: what the limits of columns are made of takes its time.
    from warehouse.records.core import Int
    from warehouse.records.tables import columns

    known = {str: TEXT, bool: TRUTH, float: NUMBER, int: WHOLE, Int: WHOLE}
    return {each.name: known[each.kind] for each in columns(table) if each.kind in known}


def _check(name: str, value: Any, kind: FieldType) -> None:
    expected, wanted = kind
    # To Python, true is a number.
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise TypeError(f"{name} should be {expected}; found {value!r}")


def check_known(line: Mapping[str, Any], name: str, known: tuple[Any, ...]) -> None:
    """Refuse a line in which a field has a value there is not.

    Raises:
        ValueError: It has.
    """
    if line[name] not in known:
        shown = ", ".join(map(str, known))
        raise ValueError(f"{name} should be one of {shown}; found {line[name]!r}")


def objects(found: Any, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; none where there is no list.

    Raises:
        TypeError: It is something else.
    """
    if found is None:
        return
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise TypeError(f"{name} should be a list of objects")
    yield from found


def are_texts(line: Mapping[str, Any], *names: str) -> bool:
    """Return whether fields of a line are all there and texts."""
    return all(isinstance(line.get(name), str) for name in names)


def answer_id(item_id: str, request_id: str) -> str:
    """Return what an answer is called, the same in every run that holds it."""
    return f"{item_id}@{request_id[:_ID_DIGITS]}"
