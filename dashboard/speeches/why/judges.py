"""How judges differ in what they say: each beside the others, and two on the same speeches."""

from collections.abc import Sequence
from textwrap import fill

import streamlit as st

from dashboard.core.charts import point
from dashboard.core.choices import choose_one
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import basis, code_span, is_missing, number, plural, share_in
from dashboard.core.naming import span
from dashboard.core.tables import band, listing, percent_of
from dashboard.core.widgets import draw_chart
from dashboard.speeches.why import charts as why_charts
from dashboard.speeches.why import queries as why_queries
from dashboard.speeches.why.labels import ALL, CON, PRO, TOP_DRAWN
from warehouse.reader import Version

_LINE = 46
_JUDGES_DRAWN = 8


def judges_apart(
    page: str,
    version: Version,
    analysis: str,
    judge: str,
    answer: Answer,
) -> list[tuple[str, Answer]]:
    """Show how often each judge says what is said most, and two judges on the same speeches.

    Returns:
        The queries asked besides, with their names.
    """
    rows = [row for row in answer.rows if row["judge_id"] != ALL]
    there = sorted({str(row["judge_id"]) for row in rows})
    if len(there) < 2:
        st.markdown("This analysis has one judge alone; there is nobody to compare it with.")
        return []
    # The judge on the page is always drawn, with the first others.
    shown = sorted(there, key=lambda one: (one != judge, one))[:_JUDGES_DRAWN]
    top = {
        str(row["key_point_id"])
        for row in answer.rows
        if row["judge_id"] in (judge, ALL) and row["polarity_rank"] <= TOP_DRAWN
    }
    drawn = [
        {
            "label": f"{_sign(row)} " + fill(row["key_point"], _LINE),
            "judge_id": row["judge_id"],
            **point(row, "justification_share", 100),
            "hover": f"{share_in(row, 'justification_share')}, "
            + basis(
                row, "justification", n="n_justifications", clusters="n_units", cluster="topic"
            ),
        }
        for row in sorted(rows, key=lambda row: (row["polarity"] == CON, row["key_point_id"]))
        if row["key_point_id"] in top
        and row["judge_id"] in shown
        and not is_missing(row["justification_share"])
    ]
    if drawn:
        hidden = len(there) - len(shown)
        draw_chart(
            why_charts.judges,
            drawn,
            title="One judge or another says a frequent key point in "
            f"{span([one['value'] for one in drawn], number)}\u00a0% of its justifications",
            note="+ speaks for the speech, − against it. Lines: 95 % intervals."
            + (f" {plural(hidden, 'judge')} more are in the download." if hidden else ""),
        )
    # Judges without a key point of their own come last: beside them there is nothing to see.
    saying = {row["judge_id"] for row in rows if (row["justification_share"] or 0) > 0}
    by_saying = sorted(there, key=lambda one: (one not in saying, one))
    return [_pair(page, version, analysis, judge, by_saying)]


def _pair(
    page: str, version: Version, analysis: str, judge: str, there: Sequence[str]
) -> tuple[str, Answer]:
    first = judge if judge in there else there[0]
    second = choose_one(
        page,
        "with",
        f"On the same speeches, {code_span(first)} against",
        [one for one in there if one != first],
    )
    answer = why_queries.differences(version, analysis, first, second)
    rows = answer.rows
    clear = sum(
        not is_missing(row["difference_low"])
        and (row["difference_low"] > 0 or row["difference_high"] < 0)
        for row in rows
    )
    if rows:
        st.caption(
            f"{plural(int(rows[0]['n_items']), 'speech', 'speeches')} on "
            f"{plural(int(rows[0]['n_units']), 'motion')} have reasons of both "
            f"{code_span(first)} and {code_span(second)}; of {plural(len(rows), 'key point')}, "
            f"{clear} differ with an interval that excludes zero (not adjusted for their number)."
        )
        listing(
            rows,
            {
                "for or against": _sign,
                "key point": "key_point",
                "first (%)": percent_of("share_first"),
                "second (%)": percent_of("share_second"),
                "difference (pp)": percent_of("difference"),
                "95 % (pp)": band("difference", 100),
                "speeches": "n_items",
                "motions": "n_units",
            },
            raw=answer,
            name="key_points_of_two_judges",
            tall=(0, 300),
        )
    else:
        st.markdown("No speech has reasons of both.")
    return "Two judges", answer


def _sign(row: Row) -> str:
    return "+" if row["polarity"] == PRO else "−"
