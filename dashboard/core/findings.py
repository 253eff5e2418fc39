"""What a page found, and the rows it found it in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

Row = Mapping[str, Any]


class Finding(NamedTuple):
    """What a page found, in Markdown.

    Attributes:
        headline: One sentence.
        rest: What else belongs to it.
    """

    headline: str
    rest: str = ""


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as mappings."""
    rows: list[dict[str, Any]] = frame.to_dict("records")
    return rows
