"""One question: two models' answers beside its perspectives, and what was found of each."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core.choices import choose_one, left_out
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import count, escape_markdown, is_missing, number, plural
from dashboard.core.tables import listed
from dashboard.core.widgets import download, draw_chart, unfolding
from dashboard.questions import charts as question_charts
from dashboard.questions import text_queries as question_text_queries
from dashboard.questions.charts import LETTERS_PER_LINE
from dashboard.questions.queries import Field
from dashboard.questions.retrieval import retrieval
from warehouse.reader import Version

TEXT_HEIGHT = 560
LETTERS = 90


def question_view(
    page: str, version: Version, field: Field, best_first: Sequence[str]
) -> list[tuple[str, Answer]]:
    """Let the reader choose a question and two models, and show what each conveyed.

    Args:
        field: Which questions and which evaluator.
        best_first: The models, in the order of the leaderboard.

    Returns:
        The queries behind it.
    """
    named = st.query_params.get("question", "")
    asked = question_text_queries.questions(version, field, named)
    rows = {row["question_id"]: row for row in asked.rows}
    if not rows:
        st.markdown(
            "The texts are not in this version: the questions have changed or gone since they "
            "were answered."
        )
        return []
    chosen = choose_one(
        page,
        "question",
        "Question",
        {one: _short(row["question"]) for one, row in rows.items()},
        explain=left_out(len(rows), int(next(iter(rows.values()))["whole_count"])),
        then_forget=("first", "second"),
    )
    row = rows[chosen]
    st.markdown(f"#### {escape_markdown(row['question'])}")
    answers = question_text_queries.answers(version, field, chosen)
    by_key = _answers_by_key(answers.rows, best_first)
    first, second = _two_answers(page, by_key)
    sides = [by_key[first], by_key[second]] if first != second else [by_key[first]]
    perspectives = question_text_queries.perspectives(version, chosen)
    likelihoods = question_text_queries.likelihoods(
        version, field, [side["answer_id"] for side in sides]
    )
    names = dict(zip((side["answer_id"] for side in sides), (first, second), strict=False))
    st.caption(
        "Probability per token of a perspective's text after the answer, 1 / perplexity: darker "
        "is more of it found."
    )
    columns = st.columns([5, 6, 5] if len(sides) > 1 else [5, 6])
    with columns[0]:
        _answer(sides[0], first)
    with columns[1]:
        _perspectives(perspectives.rows, likelihoods.rows, names)
    if len(sides) > 1:
        with columns[2]:
            _answer(sides[1], second)
    read = retrieval(version, field, names)
    if not likelihoods.frame.empty:
        download(likelihoods.frame, "perspectives_found")
    return [
        ("Questions", asked),
        ("Answers", answers),
        ("Perspectives", perspectives),
        ("What was found of them", likelihoods),
        *read,
    ]


def _short(text: object) -> str:
    flat = " ".join(str(text).split())
    return flat if len(flat) <= LETTERS else f"{flat[: LETTERS - 1]}…"


def _answers_by_key(rows: Sequence[Row], best_first: Sequence[str]) -> dict[str, Row]:
    """Return the answers by model, in the order of the leaderboard; repeats get a number."""
    order = {judge: at for at, judge in enumerate(best_first)}
    ordered = sorted(rows, key=lambda row: (order.get(row["judge_id"], len(order)), row["sample"]))
    return {
        row["judge_id"] + (f" #{int(row['sample']) + 1}" if row["sample"] else ""): row
        for row in ordered
    }


def _two_answers(page: str, by_key: Mapping[str, Row]) -> tuple[str, str]:
    """Let the reader choose two answers: at first the leaderboard's best and worst with a text."""
    there = [one for one, row in by_key.items() if not is_missing(row["response"])]
    order = there + [one for one in by_key if one not in there]
    boxes = st.columns(2)
    with boxes[0]:
        first = choose_one(page, "first", "Answer on the left", order)
    with boxes[1]:
        last = [*there[::-1], *(one for one in by_key if one not in there)]
        second = choose_one(page, "second", "Answer on the right", last)
    return first, second


def _answer(row: Row, name: str) -> None:
    st.markdown(f"**{escape_markdown(name)}**")
    if is_missing(row["response"]):
        st.markdown(f"No answer: {escape_markdown(str(row['answer_status']).replace('_', ' '))}.")
        return
    st.caption(f"{plural(int(row['word_count']), 'word')} · {_diversity(row)}")
    with st.container(height=TEXT_HEIGHT):
        st.text(row["response"])


def _diversity(row: Row) -> str:
    """Return an answer's P.D., over how many perspectives, or why it has none."""
    if is_missing(row["pd_score"]):
        reason = "not_scored" if is_missing(row["pd_reason"]) else row["pd_reason"]
        return f"P.D. unknown: {escape_markdown(str(reason).replace('_', ' '))}"
    text = (
        f"P.D. {number(row['pd_score'])}, mean of "
        f"{plural(int(row['n_partial_answers']), 'perspective')}"
    )
    if is_missing(row["pd_released"]):
        return text
    return f"{text}; as released {number(row['pd_released'])}"


def _perspectives(
    perspectives: Sequence[Row], found: Sequence[Row], names: Mapping[str, str]
) -> None:
    st.markdown(f"**{plural(len(perspectives), 'perspective')}**")
    if not perspectives:
        st.markdown(
            "The data set holds no perspectives of this question, so there is nothing to look for "
            "in its answers."
        )
        return
    if not found:
        st.markdown("This evaluator has not read these answers with this wording yet.")
    for row in perspectives:
        mine = {
            one["answer_id"]: one
            for one in found
            if one["partial_answer_id"] == row["partial_answer_id"]
        }
        with st.container(border=True):
            _found(row, mine, names)


def _found(perspective: Row, found: Mapping[str, Row], names: Mapping[str, str]) -> None:
    cells = [found[one] for one in names if one in found]
    scored = [one for one in cells if not is_missing(one["perplexity"])]
    if cells:
        draw_chart(
            question_charts.found,
            listed(
                cells,
                {
                    "side": lambda one: _side(one["answer_id"], names),
                    "found": "probability_per_token",
                    "text": lambda one: (
                        f"perplexity {number(one['perplexity'])}" if one in scored else "not known"
                    ),
                    "hover": lambda one: _hover(one, names[one["answer_id"]]),
                },
            ),
        )
    for one in cells:
        if one not in scored:
            st.caption(
                f"{escape_markdown(names[one['answer_id']])}: not known, "
                f"{escape_markdown(str(one['status']).replace('_', ' '))}."
            )
    st.text(perspective["point_of_view"])
    label = f"Perspective {int(perspective['position'])} in full"
    unfolding(label, _in_full, perspective, scored, names)


def _in_full(perspective: Row, scored: Sequence[Row], names: Mapping[str, str]) -> None:
    st.text(perspective["explanation"])
    _tokens(scored, names)


def _side(answer_id: str, names: Mapping[str, str]) -> str:
    """Return where an answer stands on the page; names are too long to stand side by side."""
    if len(names) == 1:
        return "the answer"
    return "left answer" if answer_id == next(iter(names)) else "right answer"


def _hover(row: Row, name: str) -> str:
    if is_missing(row["perplexity"]):
        return f"{name}: {str(row['status']).replace('_', ' ')}"
    return (
        f"{name}: perplexity {number(row['perplexity'])}, probability per token "
        f"{number(row['probability_per_token'])}, {count(row['token_count'])} tokens"
    )


def _tokens(cells: Sequence[Row], names: Mapping[str, str]) -> None:
    """Show the text itself shaded token by token, where the evaluator kept its tokens."""
    for one in cells:
        if is_missing(one["token_logprobs"]):
            continue
        st.caption(
            f"Token by token after the answer of {escape_markdown(names[one['answer_id']])}:"
        )
        draw_chart(question_charts.tokens, token_lines(json.loads(one["token_logprobs"])))


def token_lines(tokens: Sequence[tuple[str | None, float]]) -> pd.DataFrame:
    """Return where each token of a text stands when it is set in lines of equal letters.

    Args:
        tokens: Each token's text and log-probability.

    Returns:
        Columns `text`, `line`, `start`, `end`, `text_at` (where its letters begin), `logprob` and
        `hover`.
    """
    rows: list[dict[str, Any]] = []
    line, at = 0, 0
    for raw, logprob in tokens:
        text = "\N{REPLACEMENT CHARACTER}" if raw is None else raw
        if at and (text.startswith("\n") or at + len(text) > LETTERS_PER_LINE):
            line, at = line + 1, 0
        shown = " ".join(text.split("\n")) if at else text.lstrip()
        # A token longer than a line is cut: it would be drawn over the edge.
        shown = shown[:LETTERS_PER_LINE] or " "
        rows.append(
            {
                "text": shown.strip(),
                "line": line,
                "start": at,
                # Blanks at the beginning of a drawn text vanish, so its letters are placed.
                "text_at": at + len(shown) - len(shown.lstrip()),
                "end": at + len(shown),
                "logprob": logprob,
                "hover": f"log-probability {number(logprob)}",
            }
        )
        at += len(shown)
        if text.endswith("\n"):
            line, at = line + 1, 0
    return pd.DataFrame(rows)
