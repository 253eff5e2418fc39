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
    # The whole at once: `to_dict` takes ten times as long, as it looks up column after column.
    names = list(frame.columns)
    return [dict(zip(names, row, strict=True)) for row in frame.to_numpy(dtype=object).tolist()]
