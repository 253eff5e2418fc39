"""Figures, charts and tables that the parts of the page on trust share."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard.core.charts import estimates as estimates_chart
from dashboard.core.findings import Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import code_span, escape_markdown, interval_in, joined, number, plural
from dashboard.core.naming import nameable, nobody, whose
from dashboard.core.panels import Panel
from dashboard.core.tables import Column
from dashboard.core.widgets import draw_chart, figure, figure_row
from dashboard.debates.labels import points
from dashboard.questions.findings import known
from dashboard.questions.trust import findings as words
from dashboard.questions.trust.labels import (
    ACCURACY,
    ALIGNMENT,
    MEASURES,
    STABILITY,
    TASKS,
    scored_by,
)

ROWS_DRAWN = 14
# Rows with a name of one line that a chart beside what a paper prints has room for on one screen.
_BESIDE_PRINTED = 12
HERE, PRINTED = "this warehouse", "as the paper prints"
TALL = (9, 380)


Ranked = tuple[str, str, float, float | None, float | None, str]


def _figure(
    label: str,
    rows: Sequence[Row],
    column: str,
    name: Callable[[Row], str],
    counted: tuple[str, ...],
    unknown: str,
    explained: str,
    *,
    show: Callable[[float], str] = number,
    scale: float = 1,
) -> None:
    """Show the first row's estimate, with whose it is and how many it is about."""
    if not rows:
        figure(label, "–", unknown, explained)
        return
    row = rows[0]
    counts, *noun = counted
    note = (name(row), interval_in(row, column, scale), plural(int(row[counts]), *noun))
    figure(label, show(row[column]), joined(note), explained)


def figures(
    alignment: Sequence[Row],
    accuracy: Sequence[Row],
    stability: Sequence[Row],
    people: Sequence[Row],
) -> None:
    """Show the closest metric, the best judge, the least stable order and people's agreement."""
    within = [row for row in known(alignment, "spearman") if row["scope"] == words.WITHIN]
    aligned = nameable(within, "n_questions", "n_questions")
    agreed = known(people, "estimate")
    judged = nameable(known(accuracy, "gain"), "n_answers", "n_questions")
    with figure_row():
        _figure(
            "Closest correlation with people",
            aligned,
            "spearman",
            lambda row: (
                code_span(scored_by(row).replace("\n", ", "))
                if len(aligned) == 1
                else f"of {plural(len(aligned), 'metric')}"
            ),
            ("n_questions", "question"),
            nobody("metric") if within else "unknown: no choices between scored answers",
            ALIGNMENT.line,
        )
        _figure(
            "Highest gain over the majority label",
            judged,
            "gain",
            lambda row: whose(row, judged, "evaluator_id"),
            ("n_answers", "answer"),
            nobody("judge") if known(accuracy, "gain") else "unknown: no labels of judged answers",
            ACCURACY.line,
            show=points,
            scale=100,
        )
        _figure(
            "Least stable order",
            known(stability, "kendall"),
            "kendall",
            lambda row: escape_markdown(words.pair_name(row).replace("\n", ", ")),
            ("n_models", "model"),
            "unknown: needs two evaluators or wordings",
            STABILITY.line,
        )
        _figure(
            "People agree",
            agreed,
            "estimate",
            lambda row: (
                f"{MEASURES.get(row['measure'], row['measure'])}, "
                f"{TASKS.get(row['task'], row['task'])}"
            ),
            ("n_annotators", "person", "people"),
            "unknown: no two people on one answer",
            meaning(f"annotation_{agreed[0]['measure']}") if agreed else "",
        )


def printed_panel(name: str, columns: Mapping[str, Column]) -> Panel:
    """Return the table of what the paper prints, shown where it is loaded."""
    return Panel(
        f"published_{name}",
        columns,
        may_be_absent=True,
        draw=lambda _: st.markdown("**What the paper prints**"),
        tall=TALL,
    )


def ranked(
    rows: Sequence[Ranked],
    kinds: Sequence[str],
    *,
    axis: str,
    title: str,
    note: str,
) -> None:
    """Draw one value per row; each row is its label, kind, value, interval and hover text."""
    frame = pd.DataFrame(rows, columns=["label", "which", "value", "low", "high", "hover"])
    there = [one for one in kinds if one in set(frame["which"])]
    draw_chart(estimates_chart, frame, kinds=there, axis=axis, title=title, note=note)


def beside_printed(
    here: Sequence[Ranked], printed: Sequence[Ranked], *, axis: str, title: str, zero: str
) -> None:
    """Draw this warehouse's estimates and the paper's in one order, the highest first.

    Where a screen has no room for all, the paper's lowest are left out; the tables have them.

    Args:
        here: This warehouse's.
        printed: The paper's, which have no intervals.
        axis: What the value is, with unit and direction.
        zero: What the dashed line at zero stands for.
    """
    note = f"Dashed: {zero}. Lines: 95 % intervals; the paper prints none."
    room = max(0, _BESIDE_PRINTED - len(here))
    kept = sorted(printed, key=lambda row: -row[2])[:room]
    if len(kept) < len(printed):
        note += f" {len(kept)} of {len(printed)} printed rows shown; their table has all."
    rows = sorted([*here, *kept], key=lambda row: -row[2])
    # In one line, a name leaves rows close enough for one screen.
    named: list[Ranked] = [(row[0].replace("\n", ", "), *row[1:]) for row in rows]
    ranked(named, (HERE, PRINTED), axis=axis, title=title, note=note)
