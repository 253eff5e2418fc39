"""Does an answer to a debatable question show the debate, and all of its sides?"""

from collections.abc import Sequence

import streamlit as st

from dashboard.app import draw
from dashboard.core.chart_files import behind
from dashboard.core.choices import change_url
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.widgets import (
    headline,
    how_computed,
    next_steps,
    page_title,
    sample_badge,
    unfolding,
)
from dashboard.questions import curation as question_curation
from dashboard.questions import effects as question_effects
from dashboard.questions import evidence as question_evidence
from dashboard.questions import length as question_length
from dashboard.questions import panels as question_panels
from dashboard.questions import queries as question_queries
from dashboard.questions.findings import leaderboard_finding, unread_finding
from dashboard.questions.labels import (
    CURATION,
    DA,
    EFFECTS,
    FOUND,
    LENGTH,
    PD,
    PLACES,
    RATIO,
    SHORT_NAMES,
    WEIGHTED,
)
from dashboard.questions.selection import (
    ASK,
    EVALUATE,
    PRINTED_PREFIX,
    nothing_answered,
    select,
)
from dashboard.study.button import study_button
from warehouse.reader import Version

PAGE = "debatable_questions"
EVALUATE_NEXT = f"rostrum judges\n{EVALUATE}"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Debatable questions")
    choices = question_queries.choices(version).frame
    if choices.empty:
        nothing_answered()
        how_computed([CURATION], _curation(version))
        return
    waiting = question_queries.unread(version).rows if choices["is_published"].all() else []
    if waiting and "dataset" not in st.query_params:
        _unread(waiting, str(choices["dataset_id"].iloc[0]))
        how_computed([CURATION], _curation(version))
        return
    chosen = select(PAGE, choices)
    field, k = chosen.field, chosen.k
    scores = question_queries.scores(version, field, k)
    places = question_queries.places(version, field)
    rows = scores.rows
    if chosen.is_sample:
        sample_badge(top)
    if field.is_published:
        _printed(is_answered=bool(waiting))
    headline(leaderboard_finding(rows, k, is_published=field.is_published))
    st.caption(SHORT_NAMES)
    question_panels.figures(rows, k)
    with behind(scores):
        question_panels.scatter(rows)
    question_panels.leaderboard(scores, is_published=field.is_published)
    answers: list[tuple[str, Answer]] = [("Scores", scores), ("Places", places)]
    st.subheader("How much should each of the two count?", anchor=False)
    st.caption(WEIGHTED.definition)
    with behind(places):
        question_panels.places(places, k)
    if not field.is_published:
        lengths = question_queries.lengths(version, field)
        st.subheader("Is it the debate, or the length?", anchor=False)
        with behind(scores, lengths):
            question_length.length(rows, lengths)
        label = "How much more probable are the perspectives? (appendix H)"
        unfolding(label, question_length.ratios, rows, scores)
        st.subheader("What changes an answer?", anchor=False)
        effects = question_effects.effects(PAGE, version, field)
        st.subheader("What did they answer?", anchor=False)
        texts = question_evidence.question_view(
            PAGE, version, field, [row["judge_id"] for row in rows]
        )
        answers += [("Lengths", lengths), ("Effects", effects), *texts]
    answers += _curation(version)
    how_computed([PD, DA, PLACES, WEIGHTED, LENGTH, EFFECTS, RATIO, FOUND, CURATION], answers)
    study_button(version, "questions")


def _curation(version: Version) -> list[tuple[str, Answer]]:
    st.subheader("How were the questions made?", anchor=False)
    return question_curation.curation(PAGE, version)


def _unread(waiting: Sequence[Row], printed: str) -> None:
    """Say that answers are here which nothing has evaluated, before what a paper prints."""
    headline(unread_finding(waiting))
    next_steps(("See which judges there are, then evaluate the answers:", EVALUATE_NEXT))
    if st.button("Show the scores that a paper prints", key=f"{PAGE}_printed"):
        change_url({"dataset": f"{PRINTED_PREFIX}{printed}"})
        st.rerun()


def _printed(*, is_answered: bool) -> None:
    st.info(
        "These are the scores a paper prints, not answers: there is nothing to read behind them, "
        "and no interval or n was printed with them."
    )
    if is_answered:
        st.markdown("To compare the models whose answers are loaded, evaluate these:")
        st.code(EVALUATE_NEXT, language="shell")
        return
    st.markdown("To compare models of your own, load questions, ask a model, evaluate it:")
    st.code(f"{ASK}\n{EVALUATE}", language="shell")


if __name__ == "__main__":
    draw(page)
