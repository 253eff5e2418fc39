"""What is the true mean or share, from few labels of people?"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from dashboard.core.data import Answer, ask
from dashboard.core.findings import Row, records
from dashboard.core.labels import Metric, code_span, count, escape_markdown, is_missing
from dashboard.core.tables import listed
from dashboard.core.widgets import COEFFICIENT, draw_chart, how_computed, table
from dashboard.core.words import PROMPTS, worded
from dashboard.decisions.section import Chosen, Section
from warehouse.reader import Version

TRUE_RATE = Metric(
    name="true_rate",
    definition=(
        "People label a random sample; the judge answers everything. The mean of the labels is "
        "moved by the judge's weight times the difference of its means on other and on labelled "
        "items (prediction-powered, PPI++). A biased judge cancels out. Beside it: the labels "
        "alone, the judge's share corrected by its sensitivity and specificity (Rogan and "
        "Gladen), and the judge's own mean, which is biased. Intervals are by cluster."
    ),
    place="Angelopoulos et al. (2023); Lee et al. (2025)",
)
_NAMES = {
    "true_rate": "labels and judge",
    "human_rate": "labels alone",
    "corrected_rate": "judge, corrected",
    "naive_rate": "judge alone (biased)",
}
_UNITS = {
    "speeches": "mean score",
    "debates": "share of debates that Con wins",
    "questions": "share of answers aware of a dispute",
}


def draw(version: Version, chosen: Chosen) -> None:
    """Draw what stands below the decision: the estimates, and how far samples are."""
    rates = _rates(version, chosen)
    samples = ask(
        version,
        "select * from rpt_samples where dataset_id = $dataset order by drawn_at",
        dataset=chosen.dataset_id,
    )
    rows = records(rates.frame)
    shown = [row for row in rows if not is_missing(row["true_rate"])]
    if shown:
        _chart(shown[0])
    elif rows:
        st.info(escape_markdown(f"No estimate yet: {rows[0]['null_reason']}."))
    _samples(records(samples.frame))
    table(
        listed(
            rows,
            {
                "sample": "sample_id",
                "of": "source",
                "labels": "n_labelled",
                "items": "n_items",
                "people's mean": "true_rate",
                "labels alone": "human_rate",
                "judge alone": "naive_rate",
                "labels saved": "labels_saved",
            },
        ),
        formats=dict.fromkeys(("people's mean", "labels alone", "judge alone"), COEFFICIENT),
        raw=rates,
        name="rates",
    )
    how_computed(
        [TRUE_RATE], [("Rates", rates), ("Samples", samples), ("Decisions", chosen.answer)]
    )


def _rates(version: Version, chosen: Chosen) -> Answer:
    sql = """
select *
from rpt_rates
where dataset_id = $dataset and list_contains($judges, judge_id)
order by sample_id, source nulls first, template, variant_id"""
    return ask(version, sql, dataset=chosen.dataset_id, judges=list(chosen.judges) or [""])


def _chart(row: Row) -> None:
    unit = _UNITS[row["task"]]
    what = escape_markdown(row["source"]) if not is_missing(row["source"]) else "all items"
    st.markdown(
        f"**{unit.capitalize()} of {what}**, sample {code_span(row['sample_id'])}, prompt "
        f"{escape_markdown(worded(row['template'], PROMPTS))}: "
        f"{count(row['n_labelled'])} labels of {count(row['n_drawn'])} drawn, "
        f"{count(row['n_items'])} items."
    )
    points = [
        {
            "estimate": name,
            "value": row[kind],
            "low": row[f"{kind}_low"],
            "high": row[f"{kind}_high"],
            "kind": "biased" if kind == "naive_rate" else "unbiased",
        }
        for kind, name in _NAMES.items()
        if not is_missing(row[kind])
    ]
    draw_chart(estimates_beside, pd.DataFrame(points), unit=unit)


def estimates_beside(points: pd.DataFrame, *, unit: str) -> alt.LayerChart:
    """Draw estimates of one figure with their intervals, the biased one as another shape."""
    base = alt.Chart(points).encode(
        y=alt.Y(
            "estimate:N",
            sort=list(_NAMES.values()),
            title=None,
            axis=alt.Axis(labelLimit=200),
        ),
        tooltip=["estimate", "value", "low", "high"],
    )
    across = alt.X("low:Q", title=unit, scale=alt.Scale(zero=False))
    intervals = base.mark_rule(strokeWidth=2).encode(x=across, x2=alt.X2("high:Q"))
    marks = base.mark_point(filled=True, size=90).encode(
        x="value:Q", shape=alt.Shape("kind:N", legend=None)
    )
    return alt.layer(intervals, marks).properties(height=150)


def _samples(rows: Sequence[Row]) -> None:
    for row in rows:
        if not row["is_complete"]:
            st.caption(
                f"Sample {code_span(row['sample_id'])}: {count(row['n_full'])} of "
                f"{count(row['size'])} items are labelled, on the page Judge it yourself."
            )


SECTION = Section(
    "True rate",
    "What would people's mean be, if they labelled everything?",
    (
        "It takes a random sample that people label, and a judge's answers to all items:",
        "rostrum sample DATASET --size 60",
    ),
    draw,
)
