"""How far a metric ranks answers as people do, beside what the paper prints."""

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.labels import estimate_in, number, plural
from dashboard.core.panels import missing
from dashboard.core.tables import band, formed, listing
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
    TALL,
    beside_printed,
    printed_panel,
)

LABEL = "rostrum import preferences.jsonl --format preferences"


def alignment(answer: Answer, published: Answer) -> None:
    """Show how far metrics rank as people do, the paper's figures beside them."""
    st.caption(ALIGNMENT.line)
    rows = answer.rows
    printed = published.rows
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
                    f"{estimate_in(row, 'spearman')}, "
                    f"{plural(int(row['n_questions']), 'question')}",
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
            "No choices of people between two answers that a metric has scored are loaded. Import "
            "some, and have the answers scored:",
            LABEL,
        )
    if rows:
        listing(
            rows,
            {
                "metric": lambda row: metric_name(row["metric"]),
                "evaluator": "evaluator_id",
                "asked": lambda row: wording_name(row["evaluator_template"]),
                "ranked": lambda row: str(row["scope"]).replace("_", " "),
                "Spearman": formed("spearman"),
                "95 %": band("spearman"),
                "Kendall": formed("kendall"),
                "Kendall 95 %": band("kendall"),
                "questions": "n_questions",
                "people": "n_annotators",
                "rankings": "n_rankings",
                "undefined": "n_undefined",
                "answers without a score": "missing_count",
                "why unknown": "reason",
            },
            raw=answer,
            name="metric_alignment",
            tall=TALL,
        )


printed_alignment = printed_panel(
    "alignment",
    {
        "metric": "metric",
        "model behind it": "evaluator",
        "Spearman": formed("spearman"),
        "Kendall": formed("kendall"),
        "where": lambda row: place_name(row["location"]),
    },
)
