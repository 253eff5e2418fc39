"""The labelled set: sentences this project wrote and labelled, to see what an analysis is worth.

`labelled.csv` has `sentence_id`, `text`, `polarity`, and the gold `key_point` in words, empty where
a sentence says none of the sixteen. A draw by the text's hash puts half of them into the dev part,
on which lexicon and thresholds were set, and half into the test part.
"""

from __future__ import annotations

import csv
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "labelled.csv"
DEV, TEST = "dev", "test"


class Label(NamedTuple):
    """One labelled sentence, with its gold polarity and key point, in the `dev` or `test` part."""

    sentence_id: str
    text: str
    polarity: str
    key_point: str | None
    split: str


@cache
def labels() -> tuple[Label, ...]:
    """Return the labelled set."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Label(
                row["sentence_id"],
                row["text"],
                row["polarity"],
                row["key_point"] or None,
                _split(row["text"]),
            )
            for row in csv.DictReader(file)
        )


def _split(text: str) -> str:
    return TEST if hashlib.sha256(f"split {text}".encode()).digest()[0] % 2 else DEV
