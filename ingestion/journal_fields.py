"""What fields of journal lines must be, checked by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What a message calls it, and what it is.
Kind = tuple[str, Any]
TEXT: Kind = ("text", str)
WHOLE: Kind = ("a whole number", int)
NUMBER: Kind = ("a number", int | float)
TRUTH: Kind = ("true or false", bool)


def check(line: Mapping[str, Any], fields: Mapping[str, Kind]) -> None:
    """Refuse a line in which a field is missing or of another kind.

    Raises:
        KeyError: It is missing.
        TypeError: It is of another kind.
    """
    for name, kind in fields.items():
        _check(name, line[name], kind)


def check_if_any(line: Mapping[str, Any], fields: Mapping[str, Kind]) -> dict[str, Any]:
    """Return fields that may be missing or null, each of its kind where it is not.

    Raises:
        TypeError: One is of another kind.
    """
    found = {name: line.get(name) for name in fields}
    for name, value in found.items():
        if value is not None:
            _check(name, value, fields[name])
    return found


def _check(name: str, value: Any, kind: Kind) -> None:
    expected, wanted = kind
    # To Python, true is a number.
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise TypeError(f"{name} should be {expected}; found {value!r}")
