"""One form for tables of a mart's rows: a column's heading, and what stands under it.

What stands under a heading is a column of the mart by its name, or a function of a row, such as
those below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import estimate_in, interval_in, is_missing, p_cell, scaled, share_in
from dashboard.core.widgets import ANY_SIZE, BEHIND, FORMATS, LISTED, table
from dashboard.core.words import WORDS_OF, worded


@dataclass(frozen=True)
class Of:
    """What a column of the mart gives, shown in another form.

    Attributes:
        column: The mart's column, which explains the heading on hover.
        show: What stands in the table.
        what: What of the column it is, if it is not the column itself.
    """

    column: str
    show: Callable[[Row], Any]
    what: str = ""

    def __call__(self, row: Row) -> Any:
        """Return what stands in the table."""
        return self.show(row)


Value = str | Callable[[Row], Any]


class Formed(NamedTuple):
    """A column of numbers that are shown in a format.

    Attributes:
        value: What stands in it.
        form: The format of its numbers.
    """

    value: Value
    form: str


Column = Value | Formed


def formed(value: Value, form: str = ANY_SIZE) -> Formed:
    """Return numbers in a format; three significant digits where none is named."""
    return Formed(value, form)


def band(column: str, scale: float = 1) -> Value:
    """Return the interval of a column's estimate; nothing where there is none."""
    what = "95 % interval. "
    return Of(column, lambda row: interval_in(row, column, scale) or None, what)


def p_of(column: str) -> Value:
    """Return a p-value without its letter."""
    return Of(column, lambda row: p_cell(row[column]))


def times(column: str, by: float = 100) -> Value:
    """Return a share as percent, or a difference of shares as points."""
    return Of(column, lambda row: scaled(row[column], by))


def percent_of(column: str) -> Formed:
    """Return a share as percent, or a difference of shares as points, with three digits."""
    return Formed(times(column), ANY_SIZE)


def share_of(column: str) -> Value:
    """Return a share with its interval, as text."""
    return Of(column, lambda row: share_in(row, column))


def estimate_of(column: str) -> Value:
    """Return an estimate with its interval, as text; nothing where it is unknown."""
    return Of(column, lambda row: None if is_missing(row[column]) else estimate_in(row, column))


def listed(rows: Sequence[Row], columns: Mapping[str, Column]) -> pd.DataFrame:
    """Return rows as a table shows them.

    Args:
        columns: What stands under each heading.
    """
    shown = {}
    for name, column in columns.items():
        value = column.value if isinstance(column, Formed) else column
        shown[name] = [
            _in_words(row, value) if isinstance(value, str) else value(row) for row in rows
        ]
    frame = pd.DataFrame(shown)
    frame.attrs[BEHIND] = columns_behind(columns)
    frame.attrs[FORMATS] = formats_of(columns)
    return frame


def _in_words(row: Row, column: str) -> Any:
    """Return what a row has in a column; of a code that has words the words, the code behind."""
    words = WORDS_OF.get(column)
    return row[column] if words is None or is_missing(row[column]) else worded(row[column], words)


def formats_of(columns: Mapping[str, Column]) -> dict[str, str]:
    """Return the number formats of the columns that have one."""
    return {name: one.form for name, one in columns.items() if isinstance(one, Formed)}


class _Behind(dict[str, tuple[str, str]]):
    """What stands under headings. Nobody changes it, and pandas copies it with every column."""

    def __deepcopy__(self, memo: object) -> _Behind:
        return self


def columns_behind(columns: Mapping[str, Column]) -> dict[str, tuple[str, str]]:
    """Return which column of the mart stands under each heading, and what of it.

    Args:
        columns: What stands under each heading; what is put together of several has no column.
    """
    found = _Behind()
    for heading, column in columns.items():
        value = column.value if isinstance(column, Formed) else column
        if isinstance(value, Of):
            found[heading] = (value.column, value.what)
        elif isinstance(value, str):
            found[heading] = (value, "")
    return found


def listing(
    rows: Sequence[Row],
    columns: Mapping[str, Column],
    *,
    raw: Answer | None = None,
    name: str = "",
    tall: tuple[int, int] | None = None,
) -> None:
    """Show rows as a sortable table.

    Args:
        columns: What stands under each heading.
        raw: What to offer for download: the mart's own columns, unrounded.
        name: Name of the downloaded file.
        tall: The most rows that are all shown, and how high the table is with more, in pixels.
    """
    table(
        listed(rows[:LISTED], columns),
        raw=raw,
        name=name,
        height=tall[1] if tall and len(rows) > tall[0] else None,
        whole=len(rows),
    )
