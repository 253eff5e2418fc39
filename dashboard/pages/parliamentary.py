"""Does a judge rank and score a whole parliamentary debate as its panel did?"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_tab
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import escape_markdown
from dashboard.core.panels import View
from dashboard.core.widgets import headline, how_computed, page_title, sample_badge, unfolding
from dashboard.parliamentary import effects, evidence, panels, queries
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
from dashboard.parliamentary.selection import nothing_adjudicated, select
from dashboard.study.button import study_button
from warehouse.reader import Version

PAGE = "parliamentary"
TASKS = (HOUSE_RANKS, SPEAKER_SCORES, SPEAKER_RANKS)


class Seen(NamedTuple):
    """What every view may draw.

    Attributes:
        rows: Every measure.
        guesses: What can be had without reading a word.
        faults: What is wrong with replies.
    """

    version: Version
    rows: Sequence[Row]
    guesses: Sequence[Row]
    faults: Answer


def _speaker_scores(seen: Seen, tolerance: Answer, scores: Answer) -> None:
    st.caption(panels.METRICS[SPEAKER_SCORES].line)
    panels.tolerance(tolerance)
    panels.errors(seen.version, seen.rows, seen.guesses, SPEAKER_SCORES)
    panels.scatter(scores)


def _house_ranks(seen: Seen, confusion: Answer) -> None:
    st.caption(panels.METRICS[HOUSE_RANKS].line)
    panels.errors(seen.version, seen.rows, seen.guesses, HOUSE_RANKS)
    panels.confusion(confusion)


def _speaker_ranks(seen: Seen) -> None:
    st.caption(panels.METRICS[SPEAKER_RANKS].line)
    panels.errors(seen.version, seen.rows, seen.guesses, SPEAKER_RANKS)


VIEWS: Mapping[str, View] = {
    SPEAKER_SCORES: View(
        "speaker scores",
        _speaker_scores,
        {"Tolerance": queries.tolerance, "Scores": queries.score_points},
    ),
    HOUSE_RANKS: View("houses", _house_ranks, {"Ranks of houses": queries.confusion}),
    SPEAKER_RANKS: View("speakers' ranks", _speaker_ranks),
    "bias": View(
        "favour",
        lambda _, bias: effects.bias.show(bias, PAGE),
        {"Favour": queries.bias},
    ),
    "context": View(
        "length",
        lambda _, context: effects.context(PAGE, context),
        {"Error and length": queries.context},
    ),
    "faults": View("faults", lambda seen: effects.faults.show(seen.faults)),
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Parliamentary")
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
    rows, guessed, asked = (one.rows for one in (measures, guesses, statuses))
    if chosen.is_sample:
        sample_badge(top)
    headline(page_finding(rows, guessed, asked))
    panels.figures(rows, guessed, asked, faults.rows)
    answers = [
        ("Measures", measures),
        ("Guesses", guesses),
        ("Requests", statuses),
        ("Faults", faults),
    ]
    way = chosen.way["task"]
    offered = {
        key: view.name for key, view in VIEWS.items() if key not in TASKS or way in ("all", key)
    }
    view = VIEWS[choose_tab(PAGE, "view", "View", offered)]
    answers += view.show(version, room, Seen(version, rows, guessed, faults))
    st.markdown("**Every measure**")
    st.caption(f"Judges were asked for: {escape_markdown(setting_name(chosen.way))}.")
    panels.measures.show(measures)
    st.subheader("What did they make of one debate?", anchor=False)
    answers += evidence.debates(PAGE, version, room)
    unfolding("What can be had without reading a word?", panels.guessing.show, guesses)
    answers += _matches(version, room)
    how_computed(
        [HOUSE_METRIC, SCORE_METRIC, RANK_METRIC, BIAS_METRIC, CONTEXT_METRIC, FAULT_METRIC],
        answers,
    )
    study_button(version, "parliamentary")


def _matches(version: Version, room: Room) -> list[tuple[str, Answer]]:
    answer = queries.matches(version, room)
    if answer.frame.empty:
        return []
    unfolding("Which transcript belongs to which result?", effects.matches.show, answer)
    return [("Transcripts and results", answer)]


if __name__ == "__main__":
    draw(page)
