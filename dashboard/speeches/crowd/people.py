"""People as raters, on the tab on the crowd: how far they agree, and how each of them rates."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core.charts import estimates, point
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    Metric,
    code_span,
    count,
    estimate_in,
    interval,
    intervals,
    is_missing,
    number,
    on_sides,
    plural,
    share_in,
    speeches_on_topics,
)
from dashboard.core.tables import formed, listing
from dashboard.core.widgets import COEFFICIENT, SCORE, draw_chart, table

PEOPLE_DRAWN = 100
_ONE_KIND = "one person"
MEASURES = {
    "alpha_interval": "Krippendorff's α, interval",
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "icc_1": "ICC(1,1): one rating",
    "icc_k": "ICC(1,k): the mean of a speech's ratings",
    "mean_kappa": "mean κ of pairs of people",
}
HARSHNESS = Metric(
    name="harshness",
    definition=(
        "Mean of the others' mean rating less the person's own, over the speeches both rated. "
        "Spread is the person's standard deviation over that of the others' single ratings of the "
        "same speeches. Unsteadiness is the standard deviation of what is left once the others' "
        "mean and the person's own harshness are taken out. Intervals (95 %) leave out one topic "
        "at a time; there is none for people who rated fewer than five topics. Straight-lining: "
        "the same score for 90 % or more of at least 30 ratings."
    ),
    place="Not in the papers",
)
RELIABILITY = Metric(
    name="Krippendorff's α and ICC",
    definition=(
        "Krippendorff's alpha over every rating on a speech with two or more, with squared "
        "differences of scores (interval) or of mid-ranks (ordinal). ICC(1,1) and ICC(1,k) are "
        "one-way, since each speech has other raters: the reliability of one rating, and of the "
        "mean of k, the mean number of raters of a speech. Intervals (95 %) redraw topics. "
        "Mean κ stands beside them as on the first tab; its intervals redraw people."
    ),
    place="Alpha and ICC are not in the papers; κ is Figure 2a of the paper on judging speeches",
)


def reliability(answer: Answer) -> None:
    """Show alpha, ICC and kappa of the crowd."""
    st.subheader("How far do people agree as a crowd?", anchor=False)
    st.caption("1 is full agreement, 0 is chance.")
    rows = answer.rows
    if not rows:
        return
    known = [row for row in rows if not is_missing(row["mean_raters"])]
    if known:
        st.caption(
            f"k of ICC(1,k): {number(known[0]['mean_raters'])} raters a speech on average "
            f"(harmonic mean {number(known[0]['harmonic_raters'])}). "
            f"{plural(int(known[0]['n_items_left_out']), 'speech', 'speeches')} with a single "
            "rating left out."
        )
    listing(
        rows,
        {
            "measure": lambda row: MEASURES[row["measure"]],
            "value": formed("value", COEFFICIENT),
            "95 % interval": lambda row: interval(row["low"], row["high"]) or None,
            "redrawn": lambda row: (
                f"{count(row['n_units'])} "
                f"{'people' if row['resampled_unit'] == 'annotators' else 'topics'}"
            ),
            "speeches": "n_items",
            "people": "n_raters",
            "ratings": "n_ratings",
            "why not": "undefined_reason",
        },
        raw=answer,
        name="crowd_agreement",
    )


def harshness(rows: Sequence[Row]) -> None:
    """Draw how harsh each person is.

    Args:
        rows: Of `rpt_rater_quality`, the harshest first.
    """
    st.subheader("How does each person rate?", anchor=False)
    st.caption(meaning("harshness"))
    lining = [row for row in rows if row["is_straight_lining"] is True]
    if lining:
        names = ", ".join(code_span(row["annotator_id"]) for row in lining)
        st.warning(f"The same score nearly throughout (90 % or more): {names}.")
    known = [row for row in rows if not is_missing(row["harshness"])]
    with_interval = [row for row in known if not is_missing(row["harshness_low"])]
    drawn = with_interval[:PEOPLE_DRAWN]
    if len(drawn) < len(rows):
        st.caption(
            f"Drawn: {len(drawn)} of {plural(len(rows), 'person', 'people')}; the others have no "
            "interval or nobody to be compared with, or are more than fit. The table has all."
        )
    if not drawn:
        return
    draw_chart(
        estimates,
        [
            {
                "label": str(row["annotator_id"]),
                "which": _ONE_KIND,
                **point(row, "harshness"),
                "hover": f"{row['annotator_id']}: "
                f"{estimate_in(row, 'harshness')}, " + speeches_on_topics(row, n="n_shared"),
            }
            for row in drawn
        ],
        kinds=[_ONE_KIND],
        axis="points below the others on the same speeches (right = harsher)",
        title=harshness_title(drawn),
        note="Lines: 95 % intervals over topics. Dashed: as harsh as the others.",
    )


def harshness_title(rows: Sequence[Row]) -> str:
    """Return how many people are told apart from the others by their harshness."""
    _, harsh, lenient = on_sides(rows, "harshness")
    return (
        f"{harsh} of {plural(len(rows), 'person', 'people')} rate lower than the others, "
        f"{lenient} higher; {len(rows) - harsh - lenient} cannot be told"
    )


def raters_table(answer: Answer) -> None:
    """Show everything known of each person."""
    rows = answer.rows
    if not rows:
        return
    shown: dict[str, Any] = {
        "person": answer.frame["annotator_id"],
        "ratings": answer.frame["n_ratings"],
        "topics": answer.frame["n_units"],
    }
    for label, name in (
        ("mean", "mean_rating"),
        ("harshness", "harshness"),
        ("spread", "spread_ratio"),
        ("unsteadiness", "residual_sd"),
        ("τ-c", "tau_c"),
        ("Spearman", "spearman"),
        ("κ", "kappa"),
    ):
        shown[label] = answer.frame[name]
        shown[f"{label}, 95 %"] = intervals(rows, name)
    for label, name in (("either end", "extreme_share"), ("same score", "modal_share")):
        shown[label] = [share_in(row, name) for row in rows]
    shown["why not"] = [
        next(
            (
                row[reason]
                for reason in (
                    "undefined_reason",
                    "spread_undefined_reason",
                    "agreement_undefined_reason",
                )
                if not is_missing(row[reason])
            ),
            None,
        )
        for row in rows
    ]
    table(
        pd.DataFrame(shown),
        formats=dict.fromkeys(("mean", "harshness", "spread", "unsteadiness"), SCORE)
        | dict.fromkeys(("τ-c", "Spearman", "κ"), COEFFICIENT),
        raw=answer,
        name="rater_quality",
        height=400,
    )
