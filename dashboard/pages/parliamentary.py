"""Does a judge rank and score a whole parliamentary debate as its panel did?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.app import draw
from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import escape_markdown
from dashboard.core.widgets import choose_tab, headline, how_computed, sample_badge
from dashboard.parliamentary import effects, evidence, panels, queries, tables
from dashboard.parliamentary.findings import page_finding
from dashboard.parliamentary.labels import (
    BIAS_METRIC,
    CONTEXT_METRIC,
    FAULT_METRIC,
    HOUSE_METRIC,
    HOUSE_RANKS,
    RANK_METRIC,
    SCORE_METRIC,
    SPEAKER_RANKS,
    SPEAKER_SCORES,
    setting_name,
)
from dashboard.parliamentary.queries import Room
from dashboard.parliamentary.selection import Chosen, nothing_adjudicated, select
from warehouse.reader import Version

PAGE = "parliamentary"
BIAS, CONTEXT, FAULTS = "bias", "context", "faults"
_TABS = {
    SPEAKER_SCORES: "speaker scores",
    HOUSE_RANKS: "houses",
    SPEAKER_RANKS: "speakers' ranks",
    BIAS: "favour",
    CONTEXT: "length",
    FAULTS: "faults",
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Parliamentary")
    choices = queries.choices(version).frame
    if choices.empty:
        nothing_adjudicated()
        return
    chosen = select(PAGE, choices)
    room = chosen.room
    measures = queries.measures(version, room)
    guesses = queries.guessing(version, room)
    statuses = queries.statuses(version, room)
    faults = queries.faults(version, room)
    rows, guessed, asked = (records(one.frame) for one in (measures, guesses, statuses))
    if chosen.is_sample:
        sample_badge()
    headline(page_finding(rows, guessed, asked))
    st.caption(f"Judges were asked for: {escape_markdown(setting_name(chosen.way))}.")
    panels.figures(rows, guessed, asked, records(faults.frame))
    answers = [
        ("Measures", measures),
        ("Guesses", guesses),
        ("Requests", statuses),
        ("Faults", faults),
    ]
    answers += _tab(version, chosen, rows, guessed, faults)
    tables.measures(measures)
    st.subheader("What did they make of one debate?", anchor=False)
    answers += evidence.debates(PAGE, version, room)
    with st.expander("What can be had without reading a word?"):
        tables.guessing(guesses)
    answers += _matches(version, room)
    how_computed(
        [HOUSE_METRIC, SCORE_METRIC, RANK_METRIC, BIAS_METRIC, CONTEXT_METRIC, FAULT_METRIC],
        answers,
    )


def _tab(
    version: Version, chosen: Chosen, rows: Sequence[Row], guesses: Sequence[Row], faults: Answer
) -> list[tuple[str, Answer]]:
    asked, room = str(chosen.way["task"]), chosen.room
    tasks = (HOUSE_RANKS, SPEAKER_SCORES, SPEAKER_RANKS)
    offered = {
        tab: name for tab, name in _TABS.items() if tab not in tasks or asked in ("all", tab)
    }
    tab = choose_tab(PAGE, "view", "View", offered)
    if tab in tasks:
        st.caption(panels.METRICS[tab].line)
    if tab == SPEAKER_SCORES:
        tolerance, points = queries.tolerance(version, room), queries.score_points(version, room)
        panels.tolerance(version, tolerance)
        panels.errors(version, rows, guesses, tab)
        panels.scatter(version, points)
        return [("Tolerance", tolerance), ("Scores", points)]
    if tab == HOUSE_RANKS:
        confusion = queries.confusion(version, room)
        panels.errors(version, rows, guesses, tab)
        panels.confusion(confusion)
        return [("Ranks of houses", confusion)]
    if tab == BIAS:
        bias = queries.bias(version, room)
        effects.bias(PAGE, version, bias)
        return [("Favour", bias)]
    if tab == CONTEXT:
        context = queries.context(version, room)
        effects.context(PAGE, version, context)
        return [("Error and length", context)]
    if tab == FAULTS:
        effects.faults(faults)
        return []
    panels.errors(version, rows, guesses, tab)
    return []


def _matches(version: Version, room: Room) -> list[tuple[str, Answer]]:
    answer = queries.matches(version, room)
    if answer.frame.empty:
        return []
    with st.expander("Which transcript belongs to which result?"):
        effects.matches(answer)
    return [("Transcripts and results", answer)]


if __name__ == "__main__":
    draw(page)
