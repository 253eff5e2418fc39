"""What fields of journal lines must be, checked by name, and what rows made of lines are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    """Return what an answer is called, the same in every run that holds it.

    Args:
        item_id: The question, topic or other item it answers.
        request_id: The hash of everything that can change the answer.
    """
    return f"{item_id}@{request_id[:_ID_DIGITS]}"
