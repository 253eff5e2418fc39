"""How far a metric ranks answers as people do, beside what the paper prints."""

from __future__ import annotations

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import records
from dashboard.core.labels import interval_in, number, plural
from dashboard.questions.findings import known
from dashboard.questions.labels import wording_name
from dashboard.questions.trust import findings as words
from dashboard.questions.trust.labels import (
    ALIGNMENT,
    metric_name,
    place_name,
    printed_by,
    scored_by,
)
from dashboard.questions.trust.panels import (
    HERE,
    PRINTED,
    ROWS_DRAWN,
    beside_printed,
    estimates,
    missing,
    printed_table,
)

LABEL = "rostrum import preferences.jsonl --format preferences\nrostrum build"


def alignment(answer: Answer, published: Answer) -> None:
    """Show how far metrics rank as people do, the paper's figures beside them."""
    st.caption(ALIGNMENT.line)
    rows = records(answer.frame)
    printed = records(published.frame)
    within = [row for row in known(rows, "spearman") if row["scope"] == words.WITHIN]
    if within:
        drawn = within[:ROWS_DRAWN]
        if len(drawn) < len(within):
            st.info(
                f"The chart shows the {len(drawn)} closest of {len(within)}; the table has all."
            )
        beside_printed(
            [
                (
                    scored_by(row),
                    HERE,
                    row["spearman"],
                    row["spearman_low"],
                    row["spearman_high"],
                    f"{words.spearman_text(row)}, {plural(int(row['n_questions']), 'question')}",
                )
                for row in drawn
            ],
            [
                (printed_by(row), PRINTED, row["spearman"], None, None, number(row["spearman"]))
                for row in printed
            ],
            axis="Spearman's correlation with people's ranking (right = closer to people)",
            title=words.alignment_title(drawn),
            zero="no relation",
        )
    else:
        missing(
            "No choices of people between two answers are loaded. Import some, then build:", LABEL
        )
    if rows:
        estimates(
            answer,
            "metric_alignment",
            {
                "metric": [metric_name(row["metric"]) for row in rows],
                "evaluator": [row["evaluator_id"] for row in rows],
                "asked": [wording_name(row["evaluator_template"]) for row in rows],
                "ranked": [str(row["scope"]).replace("_", " ") for row in rows],
                "Spearman": [row["spearman"] for row in rows],
                "95 %": [interval_in(row, "spearman") or None for row in rows],
                "Kendall": [row["kendall"] for row in rows],
                "Kendall 95 %": [interval_in(row, "kendall") or None for row in rows],
                "questions": [row["n_questions"] for row in rows],
                "people": [row["n_annotators"] for row in rows],
                "rankings": [row["n_rankings"] for row in rows],
                "undefined": [row["n_undefined"] for row in rows],
                "answers without a score": [row["missing_count"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            },
            ("Spearman", "Kendall"),
        )
    printed_table(
        published,
        "alignment",
        {
            "metric": [row["metric"] for row in printed],
            "model behind it": [row["evaluator"] for row in printed],
            "Spearman": [row["spearman"] for row in printed],
            "Kendall": [row["kendall"] for row in printed],
            "where": [place_name(row["location"]) for row in printed],
        },
        ("Spearman", "Kendall"),
    )
