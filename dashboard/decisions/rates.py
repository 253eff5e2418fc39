"""What is the true mean or share, from few labels of people?"""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from dashboard.core import charts
from dashboard.core.data import ask, query
from dashboard.core.findings import Row
from dashboard.core.labels import (
    Metric,
    code_span,
    count,
    escape_markdown,
    estimate_in,
    is_missing,
)
from dashboard.core.series import told_apart
from dashboard.core.tables import estimate_of, listed
from dashboard.core.widgets import draw_chart, how_computed, table
from dashboard.core.words import prompt_name
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
_UNBIASED, _BIASED = "unbiased", "biased"
_UNITS = {
    "speeches": "mean score",
    "debates": "share of debates that Con wins",
    "questions": "share of answers aware of a dispute",
}


def draw(version: Version, chosen: Chosen) -> None:
    """Draw what stands below the decision: the estimates, and how far samples are."""
    rates = _rates(version, chosen.dataset_id, chosen.judges)
    samples = ask(
        version,
        "select * from rpt_samples where dataset_id = $dataset order by drawn_at",
        dataset=chosen.dataset_id,
    )
    rows = rates.rows
    mine = _decided(rows, chosen.row)
    if mine and not is_missing(mine["true_rate"]):
        _chart(mine)
    elif mine:
        st.info(escape_markdown(f"No estimate yet: {mine['null_reason']}."))
    _samples(samples.rows)
    table(
        listed(
            rows,
            {
                "of": lambda row: "all items" if is_missing(row["source"]) else row["source"],
                "prompt": "template",
                "people's mean": estimate_of("true_rate"),
                "labels alone": estimate_of("human_rate"),
                "judge alone": estimate_of("naive_rate"),
                "labels": "n_labelled",
                "items": "n_items",
                "labels saved": "labels_saved",
                "sample": "sample_id",
            },
        ),
        raw=rates,
        name="rates",
    )
    how_computed(
        [TRUE_RATE], [("Rates", rates), ("Samples", samples), ("Decisions", chosen.answer)]
    )


_rates = query("""
select *
from rpt_rates
where dataset_id = $dataset and list_contains($judges, judge_id)
order by sample_id, source nulls first, template, variant_id""")


def _decided(rows: Sequence[Row], decision: Row) -> Row | None:
    """Return the rate that a decision is about; its question alone names sample and source."""
    question = str(decision["question"])
    mine = [
        row
        for row in rows
        if f"(sample {row['sample_id']})" in question
        and all(
            row[one] == decision[one] or (is_missing(row[one]) and is_missing(decision[one]))
            for one in ("experiment", "template", "variant_id")
        )
    ]
    named = [
        row for row in mine if not is_missing(row["source"]) and str(row["source"]) in question
    ]
    of_all = [row for row in mine if is_missing(row["source"])]
    return next(iter(sorted(named, key=lambda row: -len(row["source"])) or of_all), None)


def _chart(row: Row) -> None:
    is_of_pair = row["task"] == "debates" and not is_missing(row["source"])
    unit = "share won by the first debater" if is_of_pair else _UNITS[row["task"]]
    what = "all items" if is_missing(row["source"]) else row["source"]
    note = (
        f"Sample {row['sample_id']}, {prompt_name(row['template'])}: {count(row['n_labelled'])} "
        f"labels of {count(row['n_drawn'])} drawn, {count(row['n_items'])} items. "
        "Lines: 95 % intervals."
    )
    points = [
        {
            "label": name,
            **charts.point(row, kind),
            "kind": _BIASED if kind == "naive_rate" else _UNBIASED,
            "hover": estimate_in(row, kind),
        }
        for kind, name in _NAMES.items()
        if not is_missing(row[kind])
    ]
    draw_chart(
        estimates_beside,
        points,
        unit=unit,
        title=f"{unit.capitalize()} of {what}",
        note=note,
    )


def estimates_beside(points: pd.DataFrame, *, unit: str, title: str, note: str) -> alt.LayerChart:
    """Draw estimates of one figure with their intervals, the biased one as another shape."""
    return charts.dots(
        points,
        charts.Measure(unit, alt.Scale(zero=False, nice=True)),
        told_apart("kind", [_UNBIASED, _BIASED], charts.KIND_COLOURS, charts.KIND_SHAPES),
        title=title,
        note=note,
        hover="estimate",
    )


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
