"""How well a judge of D.A. tells what people find, beside always answering 1."""

from __future__ import annotations

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import interval_in, is_missing, number
from dashboard.questions.findings import known
from dashboard.questions.trust import findings as words
from dashboard.questions.trust.labels import ACCURACY, place_name, printed_by
from dashboard.questions.trust.panels import (
    HERE,
    PRINTED,
    ROWS_DRAWN,
    beside_printed,
    estimates,
    missing,
    percents,
    printed_table,
)

LABEL_DISPUTES = "rostrum import labels.jsonl --format dispute-labels\nrostrum build"


def accuracy(answer: Answer, published: Answer) -> None:
    """Show how well judges of D.A. tell what people find, beside always answering 1."""
    st.caption(ACCURACY.line)
    rows = records(answer.frame)
    printed = records(published.frame)
    judged = known(rows, "gain_points")
    for row in rows:
        if text := words.accuracy_bounds(row):
            st.caption(text)
    if judged:
        drawn = judged[:ROWS_DRAWN]
        beside_printed(
            [
                (
                    f"{row['evaluator_id']}\n{row['evaluator_template']}",
                    HERE,
                    row["gain_points"],
                    row["gain_points_low"],
                    row["gain_points_high"],
                    f"{words.gain_text(row)}; accuracy {words.accuracy_text(row)}",
                )
                for row in drawn
            ],
            [
                (
                    printed_by(row),
                    PRINTED,
                    row["gain_points"],
                    None,
                    None,
                    f"{number(row['gain_points'])} pp",
                )
                for row in printed
                if row["metric"] != "always 1"
            ],
            axis="accuracy less that of always answering 1, percentage points (right = better)",
            title=words.gain_title(drawn),
            zero="always answering 1",
        )
    else:
        missing(
            "No labels of people are loaded for answers that a judge has judged. Import some:",
            LABEL_DISPUTES,
        )
    if rows:
        estimates(
            answer,
            "dispute_accuracy",
            {
                "judge": [row["evaluator_id"] for row in rows],
                "prompt": [row["evaluator_template"] for row in rows],
                "accuracy (%)": percents(rows, "accuracy"),
                "95 %": [interval_in(row, "accuracy", 100) or None for row in rows],
                "always 1 (%)": percents(rows, "baseline_accuracy"),
                "gain": [words.gain_text(row) for row in rows],
                "F1": [row["f1"] for row in rows],
                "F1 of always 1": [row["baseline_f1"] for row in rows],
                "balanced accuracy": [row["auroc"] for row in rows],
                "MCC": [row["mcc"] for row in rows],
                "answers": [row["n_answers"] for row in rows],
                "labelled 1": [row["positive_count"] for row in rows],
                "failed": [row["failed_count"] for row in rows],
                "as released (%)": percents(rows, "accuracy_released"),
                "why unknown": [_reasons(row) for row in rows],
            },
            (
                "accuracy (%)",
                "always 1 (%)",
                "F1",
                "F1 of always 1",
                "balanced accuracy",
                "MCC",
                "as released (%)",
            ),
        )
    printed_table(
        published,
        "dispute_accuracy",
        {
            "metric": [row["metric"] for row in printed],
            "model behind it": [row["evaluator"] for row in printed],
            "accuracy (%)": percents(printed, "accuracy"),
            "against always 1 (pp)": [row["gain_points"] for row in printed],
            "F1": [row["f1"] for row in printed],
            "balanced accuracy": [row["auroc"] for row in printed],
            "MCC": [row["mcc"] for row in printed],
            "answers": [row["n"] for row in printed],
            "where": [place_name(row["location"]) for row in printed],
            "note": [row["note"] for row in printed],
        },
        ("accuracy (%)", "against always 1 (pp)", "F1", "balanced accuracy", "MCC"),
    )


def _reasons(row: Row) -> str | None:
    parts = [
        str(row[name])
        for name in ("reason", "auroc_reason", "mcc_reason")
        if not is_missing(row[name])
    ]
    return "; ".join(dict.fromkeys(parts)) or None
