"""Answers with viewpoints that the data set lacks, which P.D. cannot reward."""

from __future__ import annotations

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.labels import interval_in
from dashboard.core.panels import missing
from dashboard.core.tables import band, formed, listing, percent_of
from dashboard.questions.trust.labels import MISSING, place_name
from dashboard.questions.trust.panels import TALL, printed_table

ASK = "rostrum run missing-viewpoints --judge PROVIDER/MODEL"


def missing_viewpoints(answer: Answer, published: Answer) -> None:
    """Show the share of answers with viewpoints beyond the data set's, here and in the paper."""
    st.caption(MISSING.line)
    rows = answer.rows
    if rows:
        listing(
            rows,
            {
                "model": "judge_id",
                "prompt": "template",
                "judge": "evaluator_id",
                "answers with more (%)": percent_of("missing_share"),
                "95 %": band("missing_share", 100),
                "mean score": formed("mean_score"),
                "scored": "n_scored",
                "answers": "n_answers",
                "questions": "n_questions",
                "why unknown": "reason",
            },
            raw=answer,
            name="missing_viewpoints",
            tall=TALL,
        )
    else:
        missing("No judge has looked for such viewpoints here. Ask one:", ASK)
    printed_table(
        published,
        "missing_viewpoints",
        {
            "model": "model",
            "judge": "evaluator",
            "answers with more (%)": percent_of("value"),
            "95 %": lambda row: interval_in(row, "value", 100),
            "answers": "n",
            "where": lambda row: place_name(row["location"]),
        },
    )
