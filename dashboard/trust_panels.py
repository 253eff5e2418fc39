"""Figures, charts and tables that the parts of the page on trust share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard import trust_charts
from dashboard import trust_findings as words
from dashboard.data import Answer
from dashboard.findings import Row
from dashboard.labels import (
    code_span,
    escape_markdown,
    interval,
    is_missing,
    number,
    plural,
)
from dashboard.question_findings import known
from dashboard.trust_labels import (
    ACCURACY,
    ALIGNMENT,
    MEASURES,
    PEOPLE,
    STABILITY,
    TASKS,
    scored_by,
)
from dashboard.verdict_labels import points
from dashboard.widgets import ANY_SIZE, draw_chart, figure, table

ROWS_DRAWN = 14
HERE, PRINTED = "this warehouse", "as the paper prints"
TALL = 9


Ranked = tuple[str, str, float, float | None, float | None, str]


def figures(
    alignment: Sequence[Row],
    accuracy: Sequence[Row],
    stability: Sequence[Row],
    people: Sequence[Row],
) -> None:
    """Show the closest metric, the best judge, the least stable order and people's agreement."""
    boxes = st.columns(4)
    within = [row for row in known(alignment, "spearman") if row["scope"] == words.WITHIN]
    with boxes[0]:
        _box(
            "Closest to people",
            number(within[0]["spearman"]) if within else "–",
            [
                code_span(scored_by(within[0]).replace("\n", ", ")),
                interval(within[0]["spearman_low"], within[0]["spearman_high"]),
                plural(int(within[0]["n_questions"]), "question"),
            ]
            if within
            else ["unknown: no choices of people"],
            ALIGNMENT.line,
        )
    judged = known(accuracy, "gain")
    with boxes[1]:
        _box(
            "Best gain over always 1",
            points(judged[0]["gain"]) if judged else "–",
            [
                code_span(judged[0]["evaluator_id"]),
                interval(judged[0]["gain_low"], judged[0]["gain_high"], 100),
                plural(int(judged[0]["n_answers"]), "answer"),
            ]
            if judged
            else ["unknown: no labels of people"],
            ACCURACY.line,
        )
    ordered = known(stability, "kendall")
    with boxes[2]:
        _box(
            "Least stable order",
            number(ordered[0]["kendall"]) if ordered else "–",
            [
                escape_markdown(words.pair_name(ordered[0]).replace("\n", ", ")),
                interval(ordered[0]["kendall_low"], ordered[0]["kendall_high"]),
                plural(int(ordered[0]["n_models"]), "model"),
            ]
            if ordered
            else ["unknown: needs two evaluators or wordings"],
            STABILITY.line,
        )
    agreed = known(people, "estimate")
    with boxes[3]:
        _box(
            "People agree",
            number(agreed[0]["estimate"]) if agreed else "–",
            [
                f"{MEASURES.get(agreed[0]['measure'], agreed[0]['measure'])}, "
                f"{TASKS.get(agreed[0]['task'], agreed[0]['task'])}",
                interval(agreed[0]["estimate_low"], agreed[0]["estimate_high"]),
                plural(int(agreed[0]["n_annotators"]), "person", "people"),
            ]
            if agreed
            else ["unknown: no two people on one answer"],
            PEOPLE.line,
        )


def _box(label: str, value: str, note: Sequence[str], explain: str) -> None:
    figure(label, value, " · ".join(part for part in note if part), explain)


def percents(rows: Sequence[Row], column: str) -> list[float | None]:
    """Return shares as percentages; unknown ones stay unknown."""
    return [None if is_missing(row[column]) else row[column] * 100 for row in rows]


def printed_table(
    answer: Answer, name: str, shown: Mapping[str, Sequence[object]], numbers: Sequence[str]
) -> None:
    """Show what the paper prints, where it is loaded.

    Args:
        answer: What to offer for download.
        name: Name of the file, without what it begins with.
        shown: What to show.
        numbers: Columns of numbers.
    """
    if answer.frame.empty:
        return
    st.markdown("**What the paper prints**")
    table(
        pd.DataFrame(shown),
        formats=dict.fromkeys(numbers, ANY_SIZE),
        raw=answer,
        name=f"published_{name}",
        height=380 if len(answer.frame) > TALL else None,
    )


def missing(text: str, command: str) -> None:
    """Say what is missing, and the command that brings it."""
    st.markdown(text)
    st.code(command, language="shell")


def ranked(
    rows: Sequence[Ranked],
    kinds: Sequence[str],
    *,
    axis: str,
    title: str,
    note: str,
) -> None:
    """Draw one value per row; each row is its label, kind, value, interval and hover text."""
    frame = pd.DataFrame(rows, columns=["label", "kind", "value", "low", "high", "hover"])
    there = [one for one in kinds if one in set(frame["kind"])]
    draw_chart(trust_charts.ranked, frame, there, axis=axis, title=title, note=note)


def highest_first(rows: Sequence[Ranked]) -> list[Ranked]:
    """Return rows by their value."""
    return sorted(rows, key=lambda row: -row[2])
