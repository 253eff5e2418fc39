"""What the prompt, decoding, length and retrieval do to an answer, on the same questions."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core.charts import point
from dashboard.core.choices import choose_tab
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    escape_markdown,
    estimate_in,
    is_missing,
    number,
    p_value,
    percent,
    plural,
    signed_in,
)
from dashboard.core.naming import nameable
from dashboard.core.tables import formed, listing, p_of
from dashboard.core.widgets import draw_chart
from dashboard.debates import charts as verdict_charts
from dashboard.debates.labels import effect_in
from dashboard.questions import queries as question_queries
from dashboard.questions.labels import AWARENESS, DIVERSITY, retrieval_name
from dashboard.questions.queries import Field
from warehouse.reader import Version

SIGNIFICANT = 0.05
VARY = (
    "rostrum run debatable-answers-prompts --judge MODEL\n"
    "rostrum run debatable-answers-length --judge MODEL"
)
EFFECTS_DRAWN = 12
FACTORS = {
    "prompt": "prompt",
    "temperature": "temperature",
    "top_p": "top-p",
    "length": "length asked for",
    "retrieval": "retrieval",
    "documents": "trusted sources only",
}
_AXES = {
    DIVERSITY: "change in P.D., perplexity (left = conveys the perspectives better)",
    AWARENESS: "change in D.A., percentage points (right = shows the dispute more often)",
}
_NAMES = {DIVERSITY: "P.D.", AWARENESS: "D.A."}


def effects(page: str, version: Version, field: Field) -> Answer:
    """Show one factor at a time, and return the query behind it."""
    answer = question_queries.effects(version, field)
    rows = answer.rows
    there = [one for one in FACTORS if any(row["factor"] == one for row in rows)]
    if not there:
        st.markdown(
            "No model has answered the same questions in two ways that differ in one thing only. "
            "Run an experiment that varies the prompt, the decoding, the length or retrieval:"
        )
        st.code(VARY, language="shell")
        return answer
    factor = choose_tab(page, "effect", "What differs", {one: FACTORS[one] for one in there})
    shown = [row for row in rows if row["factor"] == factor]
    st.markdown(finding(shown))
    for metric in (DIVERSITY, AWARENESS):
        _chart([row for row in shown if row["metric"] == metric], metric)
    _table(shown, answer)
    return answer


def significant(row: Row) -> bool:
    """Whether an effect is significant after correction."""
    return not is_missing(row["p_adjusted"]) and float(row["p_adjusted"]) < SIGNIFICANT


def size(row: Row) -> str:
    """Return an effect with its interval, in the unit of its metric."""
    return (effect_in if row["metric"] == AWARENESS else signed_in)(row, "difference")


def finding(rows: Sequence[Row]) -> str:
    """Return how many effects of one factor are significant, and the largest, in Markdown."""
    tested = [row for row in rows if not is_missing(row["p_adjusted"])]
    if not tested:
        return (
            f"None of {plural(len(rows), 'difference')} could be tested; the table says for each "
            "what was missing."
        )
    moved = [row for row in tested if significant(row)]
    text = (
        f"{len(moved)} of {plural(len(tested), 'tested difference')} "
        f"{'is' if len(moved) == 1 else 'are'} significant after correction"
    )
    for metric in (DIVERSITY, AWARENESS):
        mine = nameable(
            [row for row in moved if row["metric"] == metric], "n_questions", "n_questions"
        )
        if mine:
            row = max(mine, key=lambda one: abs(float(one["difference"])))
            text += (
                f"; largest in {_NAMES[metric]}: {size(row)} for "
                f"{escape_markdown(contrast(row))} of {escape_markdown(row['judge_id'])}, "
                f"{p_value(row['p_adjusted'], adjusted=True)}"
            )
    return f"{text}."


def contrast(row: Row) -> str:
    """Return which two levels of a factor are compared, as plain text."""
    return " against ".join(_level(row["factor"], row[name]) for name in ("level_b", "level_a"))


def _level(factor: str, level: str) -> str:
    if factor == "retrieval":
        return retrieval_name(level)
    if level == "not set":
        return f"no {FACTORS.get(factor, factor)}"
    if factor == "length":
        return f"about {level} tokens"
    return f"{FACTORS[factor]} {level}" if factor in ("temperature", "top_p") else level


def _chart(rows: Sequence[Row], metric: str) -> None:
    if not rows:
        return
    several = len({row["experiment"] for row in rows}) > 1
    labels = [
        contrast(row) + (f"\nexperiment {row['experiment']}" if several else "") for row in rows
    ]
    kept = list(dict.fromkeys(labels))[:EFFECTS_DRAWN]
    if len(kept) < len(set(labels)):
        st.info(
            f"The chart shows {len(kept)} of {len(set(labels))} comparisons, those with the "
            "largest differences; the table has all."
        )
    scale = 100 if metric == AWARENESS else 1
    drawn = [(row, label) for row, label in zip(rows, labels, strict=True) if label in kept]
    moved = sum(significant(row) for row, _ in drawn)
    draw_chart(
        verdict_charts.effects,
        [
            {
                "label": label,
                "judge_id": row["judge_id"],
                **point(row, "difference", scale),
                "mark": "significant" if significant(row) else "not significant",
                "model": row["judge_id"],
                "compared": label.replace("\n", ", "),
                "difference": size(row),
                "adjusted p": p_value(row["p_adjusted"], adjusted=True),
                "n": plural(int(row["n_questions"]), "question"),
            }
            for row, label in drawn
        ],
        axis=_AXES[metric],
        title=f"{moved} of {plural(len(drawn), 'difference')} in {_NAMES[metric]} "
        f"{'is' if moved == 1 else 'are'} beyond chance",
        note=(
            "Filled: significant after correction (adjusted p < 0.05). Hollow: not, or not tested. "
            "Lines: 95 % intervals over questions."
        ),
        tooltips=["model", "compared", "difference", "adjusted p", "n"],
    )


def _table(rows: Sequence[Row], answer: Answer) -> None:
    listing(
        rows,
        {
            "model": "judge_id",
            "compared": contrast,
            "metric": lambda row: _NAMES[row["metric"]],
            "difference": size,
            "adjusted p": p_of("p_adjusted"),
            "words": lambda row: (
                f"{number(row['mean_word_count_a'])} → {number(row['mean_word_count_b'])}"
            ),
            "at equal length": lambda row: (
                None
                if is_missing(row["difference_at_equal_length"])
                else estimate_in(row, "difference_at_equal_length")
            ),
            "lengths overlap": lambda row: (
                None
                if is_missing(row["length_overlap_share"])
                else percent(row["length_overlap_share"])
            ),
            "p": p_of("p"),
            "test": "p_kind",
            "effect size": formed("effect_size"),
            "questions": "n_questions",
            "experiment": "experiment",
            "why unknown": _why,
        },
        raw=answer,
        name="answer_effects",
        tall=(9, 380),
    )


def _why(row: Row) -> str | None:
    parts = [str(row[name]) for name in ("reason", "length_reason") if not is_missing(row[name])]
    return "; ".join(parts) or None
