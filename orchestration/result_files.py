"""The rows of a query in formats that other programs read."""

import csv
import io
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from warehouse.reader import Result
from warehouse.safe_text import json_printable, printable, without_formula

TEXT_FORMATS = ("csv", "json", "jsonl")
FORMATS = (*TEXT_FORMATS, "parquet")


def text_of(result: Result, file_format: str, *, is_raw: bool = True) -> str:
    """Return rows as text: CSV with a line of names, one JSON array of objects, or a line for each.

    JSON has no numbers for NaN and infinity: NaN is null, and infinity the text `Infinity`. Of
    columns with one name the second is `name_1`.
    """
    if file_format == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in (result.columns, *result.rows):
            writer.writerow(row if is_raw else map(without_formula, row))
        return text.getvalue()
    names = _different(result.columns)
    lines = [_line(names, row) for row in result.rows]
    if file_format == "jsonl":
        return "".join(f"{line}\n" for line in lines)
    return "[" + ",".join(f"\n{line}" for line in lines) + "\n]\n"


def markdown_table(*heads: str, rows: Iterable[Sequence[object]]) -> str:
    """Return rows as a Markdown table; a column whose head ends in a colon has numbers."""

    def cell(value: object) -> str:
        text = f"{value:,}" if isinstance(value, int) else str(value)
        return text.replace("|", "\\|").replace("\n", " ")

    lines = [
        [head.removesuffix(":") for head in heads],
        ["---:" if head.endswith(":") else "---" for head in heads],
        *(map(cell, row) for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_text(text: str) -> None:
    """Write to standard output; on a terminal with control characters written out."""
    sys.stdout.buffer.write((printable(text) if sys.stdout.isatty() else text).encode())


def _line(names: Sequence[str], row: Sequence[Any]) -> str:
    record = dict(zip(names, map(_json, row), strict=True))
    return json_printable(json.dumps(record, ensure_ascii=False, default=str, allow_nan=False))


def _different(names: Sequence[str]) -> list[str]:
    """Return names of which each is there once."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        new = name
        while new in found or (new != name and new in names):
            seen[name] += 1
            new = f"{name}_{seen[name]}"
        found.append(new)
    return found


def _json(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value).replace("inf", "Infinity")
    if isinstance(value, Mapping):
        return {str(key): _json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    return value
