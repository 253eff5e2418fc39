"""Whether models keep their places by another evaluator, and whether people agree."""

from __future__ import annotations

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import estimate_in, interval_in, plural
from dashboard.questions.findings import known
from dashboard.questions.labels import condition_name, wording_name
from dashboard.questions.trust import findings as words
from dashboard.questions.trust.labels import (
    MEASURES,
    PEOPLE,
    STABILITY,
    TASKS,
    metric_name,
    place_name,
)
from dashboard.questions.trust.panels import ROWS_DRAWN, estimates, missing, printed_table, ranked

ANOTHER = "rostrum run perspective-diversity --judge local/ANOTHER\nrostrum build"


LABELS = (
    "rostrum import labels.jsonl --format dispute-labels\n"
    "rostrum import preferences.jsonl --format preferences\nrostrum build"
)


def stability(answer: Answer) -> None:
    """Show whether models keep their places by another evaluator or another wording."""
    st.caption(STABILITY.line)
    rows = records(answer.frame)
    if not rows:
        missing(
            "No two evaluators and no two wordings have scored the same models. Run another:",
            ANOTHER,
        )
        return
    st.markdown(words.stability_finding(rows))
    there = known(rows, "kendall")
    several = len({row["condition_id"] for row in rows}) > 1
    if there:
        drawn = there[:ROWS_DRAWN]
        if len(drawn) < len(there):
            st.info(f"The chart shows the {len(drawn)} least alike of {len(there)} pairs.")
        ranked(
            [
                (
                    _pair(row, several=several),
                    "another " + str(row["comparison"]),
                    row["kendall"],
                    row["kendall_low"],
                    row["kendall_high"],
                    f"τ {words.kendall_text(row)}, {plural(int(row['n_models']), 'model')}",
                )
                for row in drawn
            ],
            ("another evaluator", "another wording"),
            axis="Kendall's τ of the two orders of models (right = the same order)",
            title=f"{sum(row['kendall'] > 0 for row in there)} of {plural(len(there), 'pair')} of "
            "orders agree more than they disagree",
            note="Dashed: no relation. Lines: 95 % of resamples of the questions.",
        )
    estimates(
        answer,
        "backbone_stability",
        {
            "metric": [metric_name(row["metric"]) for row in rows],
            "differs": [row["comparison"] for row in rows],
            "first": [
                f"{row['evaluator_a']}, {wording_name(row['evaluator_template_a'])}" for row in rows
            ],
            "second": [
                f"{row['evaluator_b']}, {wording_name(row['evaluator_template_b'])}" for row in rows
            ],
            "τ": [row["kendall"] for row in rows],
            "95 %": [interval_in(row, "kendall") or None for row in rows],
            "models": [row["n_models"] for row in rows],
            "questions": [row["n_questions"] for row in rows],
            "models asked": [condition_name(row) for row in rows],
            "why unknown": [row["reason"] for row in rows],
        },
        ("τ",),
    )


def _pair(row: Row, *, several: bool) -> str:
    name = words.pair_name(row)
    return f"{name}, {row['template']}" if several else name


def people(answer: Answer, published: Answer) -> None:
    """Show how far people agree among themselves, here and in the paper."""
    st.caption(PEOPLE.line)
    rows = records(answer.frame)
    if not rows:
        missing(
            "No labels or choices of people are loaded here. Import some:",
            LABELS,
        )
    else:
        estimates(
            answer,
            "annotation_agreement",
            {
                "what": [TASKS.get(row["task"], row["task"]) for row in rows],
                "measure": [MEASURES.get(row["measure"], row["measure"]) for row in rows],
                "agreement": [estimate_in(row, "estimate") for row in rows],
                "people": [row["n_annotators"] for row in rows],
                "questions": [row["n_questions"] for row in rows],
                "answers or pairs of rankings": [row["n_items"] for row in rows],
                "left out": [row["excluded_count"] for row in rows],
                "undefined": [row["n_undefined"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            },
        )
    printed = records(published.frame)
    printed_table(
        published,
        "people",
        {
            "what": [row["metric"] for row in printed],
            "measure": [MEASURES.get(row["statistic"], row["statistic"]) for row in printed],
            "agreement": [row["value"] for row in printed],
            "where": [place_name(row["location"]) for row in printed],
            "note": [row["note"] for row in printed],
        },
        ("agreement",),
    )
