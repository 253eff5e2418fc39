"""What a page found, and the rows it found it in."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from dashboard.core.labels import UNPARSED_LIMIT, is_missing

Row = Mapping[str, Any]


class Finding(NamedTuple):
    """What a page found, in Markdown.

    Attributes:
        headline: One sentence.
        rest: What else belongs to it.
    """

    headline: str
    rest: str = ""


def beyond_limit(rows: Sequence[Row], share: str) -> list[Row]:
    """Return the rows of which too large a share could not be read, in order."""
    return [row for row in rows if not is_missing(row[share]) and row[share] > UNPARSED_LIMIT]


def first_known(rows: Sequence[Row], column: str, otherwise: str = "") -> str:
    """Return the first text that a column has in any row, such as why something is unknown."""
    return next((row[column] for row in rows if not is_missing(row[column])), otherwise)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as mappings."""
    # The whole at once: `to_dict` takes ten times as long, as it looks up column after column.
    names = list(frame.columns)
    return [dict(zip(names, row, strict=True)) for row in frame.to_numpy(dtype=object).tolist()]
