"""Cells of speech files that hold more than one value, read without guessing."""

from __future__ import annotations

import ast
import json
from typing import Any

# A list of a thousand raters; far more is no list of ratings.
_LIST_CHARS = 20_000


def list_cell(cell: Any) -> list[Any] | str:
    """Return the list a cell holds, or, as text, why it holds none.

    Args:
        cell: A list as Parquet has it, or a JSON or Python list in text.
    """
    if isinstance(cell, list):
        return cell
    if not isinstance(cell, str):
        return f"should hold a list; found {shown(cell)}"
    if len(cell) > _LIST_CHARS:
        return f"should hold a list of at most {_LIST_CHARS} characters; found {len(cell)}"
    value: Any = None
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        break
    return value if isinstance(value, list) else f"should hold a list; found {shown(cell)}"


def shown(value: Any) -> str:
    """Return a value as a message shows it, cut when long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def id_text(value: Any) -> str | None:
    """Return an id as text, or None where there is none. 12, 12.0 and "12" are one id."""
    if value is None or isinstance(value, bool | list | dict):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None
    return str(value).strip() or None


def extra_of(fields: dict[str, Any], known: tuple[str, ...]) -> str | None:
    """Return a record's other columns as a JSON object, or None when there are none."""
    rest = {name: value for name, value in fields.items() if name not in known}
    return json.dumps(rest, ensure_ascii=False, default=str, sort_keys=True) if rest else None
