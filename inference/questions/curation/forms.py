"""The files people fill in: written as tables, read as `.csv` or `.jsonl`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inference.errors import CurationFailed

_WORDS = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a `.csv` file.

    Args:
        header: The columns' names.
        rows: The lines.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def read_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a file, each with its line and all its values as texts.

    Args:
        path: A `.csv` file with a header line, or a `.jsonl` file of objects.

    Raises:
        CurationFailed: It cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".csv":
            reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
            return [(reader.line_num, _texts(row)) for row in reader]
        lines = text.removesuffix("\n").split("\n") if text else []
        return [(number, _texts(json.loads(line))) for number, line in enumerate(lines, start=1)]
    except (OSError, ValueError, TypeError, RecursionError, csv.Error) as error:
        raise CurationFailed(
            f"curation: cannot read {path}: {error}; save it as UTF-8, with a header line (.csv) "
            "or one JSON object on each line (.jsonl)"
        ) from None


def yes_or_no(word: str) -> bool | None:
    """Return what `1`, `yes`, `true` and their opposites mean; None for any other word."""
    return _WORDS.get(word.strip().lower())


def _texts(row: Any) -> dict[str, str]:
    if not isinstance(row, Mapping):
        raise TypeError(f"{row!r} is no object")
    # A line with more values than columns has its rest under None.
    named = {str(name): value for name, value in row.items() if name is not None}
    return {name: "" if value is None else str(value).strip() for name, value in named.items()}
