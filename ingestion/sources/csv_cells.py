"""Typed values of table cells: None for empty ones, BrokenRecord for wrong ones."""

import ast
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from ingestion.reading import BrokenRecord
from ingestion.times import utc_time

# A list of a thousand raters; far more is no list of ratings.
_LIST_CHARS = 20_000
_TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_MISSING = ("", "nan", "none", "null")


def list_cell(fields: Mapping[str, Any], name: str) -> list[Any]:
    """Return the list a cell holds: one of Parquet, or a JSON or Python list in text.

    Raises:
        BrokenRecord: It holds none.
    """
    cell = fields.get(name)
    if isinstance(cell, str) and len(cell) > _LIST_CHARS:
        raise BrokenRecord(
            name, f"should hold a list of at most {_LIST_CHARS} characters; found {len(cell)}"
        )
    value: Any = cell
    readers: tuple[Callable[[Any], Any], ...] = (json.loads, ast.literal_eval)
    for read in readers if isinstance(cell, str) else ():
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            value = read(cell)
            break
    if not isinstance(value, list):
        raise BrokenRecord(name, f"should hold a list; found {shown(cell)}")
    return value


def shown(value: Any) -> str:
    """Return a value as a message shows it, cut when long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def id_text(value: Any) -> str | None:
    """Return an id as text, if any. 12, 12.0 and "12" are one id."""
    if value is None or isinstance(value, bool | list | dict):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None
    return str(value).strip() or None


def id_of(
    fields: Mapping[str, Any], name: str, expected: str = "should be a number or a text"
) -> str:
    """Return the id in a field."""
    found = id_text(fields.get(name))
    if found is None:
        raise BrokenRecord(name, f"{expected}; found {shown(fields.get(name))}")
    return found


def extra_of(fields: dict[str, Any], known: tuple[str, ...]) -> str | None:
    """Return a record's other columns as a JSON object, or None when there are none."""
    rest = {name: value for name, value in fields.items() if name not in known}
    return json.dumps(rest, ensure_ascii=False, default=str, sort_keys=True) if rest else None


def text(fields: Mapping[str, Any], name: str) -> str | None:
    """Return a cell's text; None where it is empty or a word for a missing value."""
    value = fields.get(name)
    if value is None or str(value).strip().casefold() in _MISSING:
        return None
    return str(value)


def identity(fields: Mapping[str, Any], name: str) -> str:
    """Return an id in a cell."""
    # A column with gaps is written with decimals by the tools that write such files.
    found = id_text((text(fields, name) or "").removesuffix(".0"))
    if found is None:
        raise BrokenRecord(name, f"should be a number or a text; found {shown(fields.get(name))}")
    return found


def truth(fields: Mapping[str, Any], name: str) -> bool:
    """Return the truth value in a cell."""
    value = _TRUTHS.get(str(fields.get(name)).strip().casefold())
    if value is None:
        raise BrokenRecord(name, f"should be True or False; found {shown(fields.get(name))}")
    return value


def number(fields: Mapping[str, Any], name: str) -> float | None:
    """Return a cell's number; None where it is empty."""
    value = text(fields, name)
    try:
        return None if value is None else float(value)
    except ValueError:
        raise BrokenRecord(name, f"should be a number; found {shown(value)}") from None


def time(fields: Mapping[str, Any], name: str) -> datetime | None:
    """Return a cell's time in UTC; None where it is empty."""
    value = text(fields, name)
    try:
        return None if value is None else utc_time(value)
    except ValueError as error:
        raise BrokenRecord(name, str(error)) from None
