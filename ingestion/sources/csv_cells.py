"""Cells of a table as text, number, truth or time: empty ones are None, wrong ones are told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ingestion.oversight.reading import BrokenRecord
from ingestion.sources.cells import id_text, shown
from ingestion.times import utc_time

_TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_MISSING = ("", "nan", "none", "null")


def text(fields: Mapping[str, Any], name: str) -> str | None:
    """Return a cell's text; None where it is empty or says that nothing is there."""
    value = fields.get(name)
    if value is None or str(value).strip().casefold() in _MISSING:
        return None
    return str(value)


def identity(fields: Mapping[str, Any], name: str) -> str:
    """Return a cell that names something.

    Raises:
        BrokenRecord: It is empty.
    """
    # A column with gaps is written with decimals by the tools that write such files.
    found = id_text((text(fields, name) or "").removesuffix(".0"))
    if found is None:
        raise BrokenRecord(name, f"should be a number or a text; found {shown(fields.get(name))}")
    return found


def truth(fields: Mapping[str, Any], name: str) -> bool:
    """Return whether a cell says true.

    Raises:
        BrokenRecord: It says neither true nor false.
    """
    value = _TRUTHS.get(str(fields.get(name)).strip().casefold())
    if value is None:
        raise BrokenRecord(name, f"should be True or False; found {shown(fields.get(name))}")
    return value


def number(fields: Mapping[str, Any], name: str) -> float | None:
    """Return a cell's number; None where it is empty.

    Raises:
        BrokenRecord: It is none.
    """
    said = text(fields, name)
    try:
        return None if said is None else float(said)
    except ValueError:
        raise BrokenRecord(name, f"should be a number; found {shown(said)}") from None


def time(fields: Mapping[str, Any], name: str) -> datetime | None:
    """Return a cell's time in UTC; None where it is empty.

    Raises:
        BrokenRecord: It is none.
    """
    said = text(fields, name)
    try:
        return None if said is None else utc_time(said)
    except ValueError as error:
        raise BrokenRecord(name, str(error)) from None
