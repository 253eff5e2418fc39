"""P.D. against the length of answers, and how much more probable that makes perspectives."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import estimate_in, plural
from dashboard.core.tables import band, formed, listing
from dashboard.core.widgets import draw_chart
from dashboard.questions import charts as question_charts
from dashboard.questions import findings as words
from dashboard.questions.labels import RATIO, condition_name, words_text


def length(scores: Sequence[Row], answer: Answer) -> None:
    """Draw P.D. against length with each model's own slope, and say what the slopes are."""
    st.markdown(words.length_finding(scores))
    rows = answer.rows
    if not rows:
        st.markdown("No model has a P.D. and a length here.")
        return
    asked = ["as chosen above" if row["is_here"] else "otherwise" for row in rows]
    lines = [row for row in words.known(rows, "line_from") if row["is_here"]]
    draw_chart(
        question_charts.lengths,
        pd.DataFrame(
            {
                "model": [row["judge_id"] for row in rows],
                "words": [row["mean_word_count"] for row in rows],
                "pd": [row["score"] for row in rows],
                "pd_low": [row["score_low"] for row in rows],
                "pd_high": [row["score_high"] for row in rows],
                "asked": asked,
                "P.D.": [estimate_in(row, "score") for row in rows],
                "length": [words_text(row["mean_word_count"]) for row in rows],
                "how": [condition_name(row) for row in rows],
                "n": [plural(int(row["n_questions"]), "question") for row in rows],
            }
        ),
        pd.DataFrame(
            {
                "model": [row["judge_id"] for row in lines for _ in range(2)],
                "words": [row[end] for row in lines for end in ("words_from", "words_to")],
                "pd": [row[end] for row in lines for end in ("line_from", "line_to")],
            }
        ),
        title=words.lengths_title(scores),
        note=(
            "Filled: asked as chosen above; hollow: asked otherwise. Lines: each model's own slope "
            "within questions; vertical: 95 % intervals."
        ),
        tooltips=["model", "P.D.", "length", "how", "n"],
    )


def ratios(rows: Sequence[Row], answer: Answer) -> None:
    """Show how much more probable perspectives are than after the worst model's answers."""
    there = words.known(rows, "probability_ratio_per_token")
    st.caption(RATIO.line)
    if not there:
        st.markdown("No two models have scored answers to the same questions.")
        return
    listing(
        there,
        {
            "model": "judge_id",
            "against": "reference_judge_id",
            "per token": formed("probability_ratio_per_token"),
            "95 % interval": band("probability_ratio_per_token"),
            "questions": "n_shared_questions",
            "equation 7 as printed": formed("probability_ratio_paper"),
            "with means": formed("probability_ratio_paper_of_means"),
            "whole perspective, powers of 10": formed("log10_probability_ratio"),
            "equation 7 with its factor, powers of 10": formed(
                "log10_probability_ratio_with_factor"
            ),
            "tokens per perspective": formed("tokens_per_partial_answer"),
        },
        raw=answer,
        name="probability_ratios",
    )
