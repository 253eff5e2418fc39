"""The leaderboard of debatable questions: both metrics at once, places at a weight, length."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core import naming
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    code_span,
    count,
    interval,
    interval_in,
    is_missing,
    joined,
    number,
    percent,
    plural,
    scaled,
)
from dashboard.core.naming import nameable, nobody, span, untold
from dashboard.core.tables import listed
from dashboard.core.widgets import ANY_SIZE, draw_chart, figure, figure_row, table
from dashboard.questions import charts as question_charts
from dashboard.questions import findings as words
from dashboard.questions.labels import LENGTH, PD, WEIGHTED, words_text

MODELS_DRAWN = 30
_TALL = 12


def _range(rows: Sequence[Row], column: str, show: Callable[[Any], str]) -> tuple[str, str]:
    """Return the value and the note of a figure where no model is named."""
    if not words.known(rows, column):
        return "–", "unknown: no scored answer"
    there = words.with_enough(rows, column)
    if not there:
        return "–", nobody("model")
    return span([float(row[column]) for row in there], show), untold("model")


def figures(rows: Sequence[Row], k: float) -> None:
    """Show scores by each metric, the first by both where they are printed, and length's effect."""
    with figure_row():
        diverse = words.best_by(rows, "pd_score", lowest=True)
        aware = words.best_by(rows, "da_score", lowest=False)
        first = next((row for row in words.known(rows, "place") if row["place"] == 1), None)
        if diverse is None:
            figure("P.D.", *_range(rows, "pd_score", number), PD.line)
        else:
            figure("Lowest P.D.", number(diverse["pd_score"]), _pd_note(diverse), PD.line)
        if aware is None:
            figure("D.A.", *_range(rows, "da_score", percent), meaning("dispute_awareness"))
        else:
            figure(
                "Highest D.A.",
                percent(aware["da_score"]),
                _da_note(aware),
                meaning("dispute_awareness"),
            )
        if first is None:
            figure(f"First at k = {k:.2f}", "–", "unknown: needs both metrics", WEIGHTED.line)
        elif not words.is_printed(first):
            figure(f"First at k = {k:.2f}", "–", untold("model"), WEIGHTED.line)
        else:
            ranked = words.known(rows, "place")
            figure(
                f"First at k = {k:.2f}",
                number(first["score"]),
                f"{code_span(first['judge_id'])} · no interval · of {plural(len(ranked), 'model')}",
                WEIGHTED.line,
            )
        figure("P.D. per doubled words", *slope_figure(rows, diverse), LENGTH.line)


def slope_figure(rows: Sequence[Row], diverse: Row | None) -> tuple[str, str]:
    """Return what twice as many words change: of the model named, else the range of all."""
    sloped = words.known(rows, "length_slope")
    there = nameable(sloped, "n_slope_questions", "n_slope_questions")
    diverse = there[0] if diverse is None and len(there) == 1 else diverse
    if diverse is None:
        if not there:
            return "–", nobody("model") if sloped else words.no_slope(rows)
        asked = span([int(row["n_slope_questions"]) for row in there], count)
        return (
            span([float(row["length_slope"]) for row in there], number),
            f"{plural(len(there), 'model')}, on {asked} questions · intervals are below · "
            f"{untold('model')}",
        )
    if is_missing(diverse.get("length_slope")):
        return "–", words.no_slope([diverse])
    note = [
        code_span(diverse["judge_id"]),
        interval_in(diverse, "length_slope"),
        plural(int(diverse["n_slope_questions"]), "question"),
    ]
    return number(diverse["length_slope"]), joined(note)


def _pd_note(row: Row) -> str:
    parts = [code_span(row["judge_id"]), interval(row.get("pd_low"), row.get("pd_high"))]
    if not is_missing(row.get("pd_n_questions")):
        parts += [
            plural(int(row["pd_n_questions"]), "question"),
            words_text(row["mean_word_count"]),
            naming.places(row, "pd_"),
        ]
    else:
        parts.append("as printed, without interval")
    return joined(parts)


def _da_note(row: Row) -> str:
    parts = [code_span(row["judge_id"]), interval(row.get("da_low"), row.get("da_high"), 100)]
    if is_missing(row.get("da_n_questions")):
        parts.append("as printed, without interval")
    else:
        parts += [plural(int(row["da_n_questions"]), "question"), naming.places(row, "da_")]
    return joined(parts)


def scatter(rows: Sequence[Row]) -> None:
    """Draw P.D. against D.A., each with its interval."""
    both = [row for row in words.known(rows, "pd_score") if not is_missing(row["da_score"])]
    if not both:
        st.markdown(
            "No model has both scores yet, so there is nothing to set against each other. "
            "Choose another evaluator above, or evaluate the same answers by the other metric."
        )
        return
    drawn = both[:MODELS_DRAWN]
    if len(drawn) < len(both):
        st.info(f"The chart shows the first {len(drawn)} of {len(both)} models in the table.")
    draw_chart(
        question_charts.scatter,
        [
            {
                "model": row["judge_id"],
                "pd": row["pd_score"],
                "pd_low": row.get("pd_low"),
                "pd_high": row.get("pd_high"),
                "da": scaled(row["da_score"]),
                "da_low": scaled(row.get("da_low")),
                "da_high": scaled(row.get("da_high")),
                "P.D.": words.pd_text(row),
                "D.A.": words.da_text(row),
                "n": _n(row),
            }
            for row in drawn
        ],
        title=words.scatter_title(drawn),
        note=(
            "Best is the upper left corner. Lines: 95 % intervals over questions."
            if any(not is_missing(row.get("pd_low")) for row in drawn)
            else "Best is the upper left corner."
        ),
        tooltips=["model", "P.D.", "D.A.", "n"],
    )


def _n(row: Row) -> str:
    counts = [
        f"{name} {plural(int(row[column]), 'question')}"
        for name, column in (("P.D.", "pd_n_questions"), ("D.A.", "da_n_questions"))
        if not is_missing(row.get(column))
    ]
    return ", ".join(counts) or "not printed"


def leaderboard(answer: Answer, *, is_published: bool) -> None:
    """Show every model by both metrics, with places as printed, length and what failed."""
    rows = answer.rows
    for row in rows:
        if text := words.da_bounds(row):
            st.caption(text)
    shown = {
        "place": [row["place_label"] for row in rows],
        "model": [row["judge_id"] for row in rows],
        "both at k": [row["score"] for row in rows],
        "P.D.": [row["pd_score"] for row in rows],
    }
    if not is_published:
        shown |= {
            "P.D. 95 %": [interval_in(row, "pd") or None for row in rows],
            "words": [row["mean_word_count"] for row in rows],
        }
    shown["tokens"] = [row["mean_answer_tokens"] for row in rows]
    shown |= {
        "P.D. place": [row["pd_place"] for row in rows],
        "D.A. (%)": [scaled(row.get("da_score")) for row in rows],
    }
    if not is_published:
        shown["D.A. 95 %"] = [interval_in(row, "da", 100) or None for row in rows]
    shown["D.A. place"] = [row["da_place"] for row in rows]
    if not is_published:
        shown |= {
            "P.D. normalised place": [row["pd_norm_place"] for row in rows],
            "D.A. normalised place": [row["da_norm_place"] for row in rows],
            "P.D. at equal length": [row["score_adjusted"] for row in rows],
            "at equal length 95 %": [interval_in(row, "score_adjusted") or None for row in rows],
            "P.D. as a sum": [row["pd_sum"] for row in rows],
            "P.D. released": [row["pd_released"] for row in rows],
            "D.A. released (%)": [scaled(row.get("da_released")) for row in rows],
            "questions P.D.": [row["pd_n_questions"] for row in rows],
            "questions D.A.": [row["da_n_questions"] for row in rows],
            "why unknown": [_reasons(row) for row in rows],
        }
    table(
        pd.DataFrame(shown),
        formats=dict.fromkeys(
            (
                "both at k",
                "P.D.",
                "D.A. (%)",
                "P.D. at equal length",
                "P.D. as a sum",
                "P.D. released",
                "D.A. released (%)",
                "words",
                "tokens",
            ),
            ANY_SIZE,
        ),
        raw=answer,
        name="debateqa_leaderboard",
        height=460 if len(rows) > _TALL else None,
    )


def _reasons(row: Row) -> str | None:
    parts = [
        f"{name}: {row[column]}"
        for name, column in (
            ("P.D.", "pd_reason"),
            ("D.A.", "da_reason"),
            ("equal length", "length_reason"),
            ("both", "reason"),
        )
        if not is_missing(row[column])
    ]
    return "; ".join(parts) or None


def places(answer: Answer, k: float) -> None:
    """Draw who is first at which weight."""
    rows = answer.rows
    if not rows:
        st.markdown("Places at a weight need at least two models with both scores.")
        return
    draw_chart(
        question_charts.places,
        listed(
            rows,
            {
                "model": "judge_id",
                "k": "k",
                "place": "place",
                "hover": lambda row: (
                    f"{row['judge_id']}: {row['place_label']} of {row['n_models']} at "
                    f"k = {row['k']:.2f}, {number(row['score'])}"
                ),
            },
        ),
        k,
        title=words.places_title(rows),
        note="As the paper's Figure 3. Dashed: the weight chosen. Places have no intervals.",
    )
