"""Answers with viewpoints that the data set lacks, which P.D. cannot reward."""

from __future__ import annotations

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import records
from dashboard.core.labels import interval_in
from dashboard.questions.trust.labels import MISSING, place_name
from dashboard.questions.trust.panels import estimates, missing, percents, printed_table

ASK = "rostrum run missing-viewpoints --judge PROVIDER/MODEL\nrostrum build"


def missing_viewpoints(answer: Answer, published: Answer) -> None:
    """Show the share of answers with viewpoints beyond the data set's, here and in the paper."""
    st.caption(MISSING.line)
    rows = records(answer.frame)
    if rows:
        estimates(
            answer,
            "missing_viewpoints",
            {
                "model": [row["judge_id"] for row in rows],
                "prompt": [row["template"] for row in rows],
                "judge": [row["evaluator_id"] for row in rows],
                "answers with more (%)": percents(rows, "missing_share"),
                "95 %": [interval_in(row, "missing_share", 100) or None for row in rows],
                "mean score": [row["mean_score"] for row in rows],
                "scored": [row["n_scored"] for row in rows],
                "answers": [row["n_answers"] for row in rows],
                "questions": [row["n_questions"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            },
            ("answers with more (%)", "mean score"),
        )
    else:
        missing("No judge has looked for such viewpoints here. Ask one:", ASK)
    printed = records(published.frame)
    printed_table(
        published,
        "missing_viewpoints",
        {
            "model": [row["model"] for row in printed],
            "judge": [row["evaluator"] for row in printed],
            "answers with more (%)": percents(printed, "value"),
            "95 %": [interval_in(row, "value", 100) for row in printed],
            "answers": [row["n"] for row in printed],
            "where": [place_name(row["location"]) for row in printed],
        },
        ("answers with more (%)",),
    )
