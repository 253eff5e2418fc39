"""What the panels of single biases share: choosing a row, two shares per row, what is missing."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dashboard.core.choices import choose_one
from dashboard.core.findings import Row
from dashboard.core.labels import is_missing, scaled
from dashboard.core.tables import Column, formed, p_of
from dashboard.core.widgets import draw_chart
from dashboard.debates import charts as verdict_charts
from dashboard.debates.selection import OPENED, RUN_ONE

ROWS_DRAWN = 20
# The most rows of a table that are all shown, and how high it is with more.
TALL = (9, 380)
# Columns that the tables of several biases have.
MCNEMAR: Mapping[str, Column] = {
    "which p": "p_kind",
    "χ² plain": formed("mcnemar"),
    "χ² corrected": formed("mcnemar_corrected"),
    "p exact": p_of("p_exact"),
}
COUNTED: Mapping[str, Column] = {
    "debates": "n_units",
    "clusters": "n_clusters",
    "without majority": "split_count",
}
CON_SHARE = "verdicts for Con, % of debates (dashed: half)"


def choose_row(page: str, rows: Sequence[Row], show: Callable[[Row], str]) -> Row:
    """Let the reader choose whose table is shown; the URL holds it by its place's own ids."""
    by_key = {
        "|".join(
            str(row.get(name) or "")
            for name in ("judge_id", "variant_id", "variant_a", "variant_b", "contrast")
        ): row
        for row in rows
    }
    chosen = choose_one(
        page,
        "row",
        "Table of",
        {one: show(row) for one, row in by_key.items()},
        then_forget=OPENED,
    )
    return by_key[chosen]


def limited(rows: Sequence[Row], most: int, what: str) -> list[Row]:
    """Return the rows that a chart has room for, and say when some are left out."""
    if len(rows) > most:
        st.info(
            f"The chart shows {most} of {len(rows)} {what}, those first in the table below; choose "
            "fewer judges or prompts to see others."
        )
    return list(rows[:most])


def who(row: Row, rows: Sequence[Row]) -> str:
    """Return whose row it is, where several judges are drawn."""
    several = len({one["judge_id"] for one in rows}) > 1
    return f"{row['judge_id']}: " if several else ""


def unknown(rows: Sequence[Row], column: str, show: Callable[[Row], str]) -> None:
    """Say of which rows a figure is not known, and why."""
    for row in rows:
        if is_missing(row[column]):
            st.text(f"– {row['judge_id']}, {show(row)}: {row['reason'] or 'no value'}")


def two_shares(
    drawn: Sequence[Row],
    label: Callable[[Row], str],
    shares: Mapping[str, str],
    hover: Callable[[Row], str],
    *,
    title: str,
    note: str,
) -> None:
    """Draw two shares of verdicts for Con per row; `shares` has the column of each by its name."""
    (first, of_first), (second, of_second) = shares.items()
    draw_chart(
        verdict_charts.two_shares,
        [
            {
                "label": label(row),
                "first": scaled(row[of_first]),
                "second": scaled(row[of_second]),
                "hover": hover(row),
            }
            for row in drawn
        ],
        (first, second),
        axis=CON_SHARE,
        title=title,
        note=note,
    )


def one_side(row: Row) -> dict[str, str | None]:
    """Return URL parameters that name a judge asked in one way."""
    return {"by": row["judge_id"], "a": row["variant_id"], "b": None, "with": None}


_NEEDS = {
    "position": "the same debates asked with Pro named first and with Con named first",
    "label": "the same debates asked with the labels both ways round",
    "order": "debates of which it is known who speaks last",
    "stance": "debates of which people have said who won",
    "verbosity": "debates with texts, of which people have said who won",
    "side": "motions that the same debaters argued twice, with their sides exchanged",
}


def nothing(bias: str) -> None:
    """Say what it takes to test a bias of which nothing is known."""
    st.markdown(
        f"**Nothing here tests this bias yet.** It needs {_NEEDS[bias]}. This "
        "experiment asks for what it takes:"
    )
    st.code(RUN_ONE, language="shell")
