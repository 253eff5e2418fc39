"""Do debates lead a judge who has not read the story to the truth, and do persuasive ones more?"""

from __future__ import annotations

import streamlit as st

from dashboard.app import draw
from dashboard.core.data import Answer
from dashboard.core.findings import records
from dashboard.core.widgets import choose_tab, headline, how_computed, sample_badge
from dashboard.oversight import beliefs, panels, queries, ratings, tables
from dashboard.oversight.findings import page_finding
from dashboard.oversight.labels import METRICS
from dashboard.oversight.queries import Scope
from dashboard.oversight.selection import nothing_judged, select
from warehouse.reader import Version

PAGE = "oversight"
_VIEWS = {
    "accuracy": "accuracy",
    "ratings": "ratings",
    "calibration": "calibration",
    "beliefs": "belief by round",
    "quotes": "quotes",
    "biases": "biases",
    "votes": "votes",
    "tournament": "tournament",
    "questions": "questions",
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Oversight")
    choices = queries.choices(version).frame
    if choices.empty:
        nothing_judged("Nobody has judged a question about a story yet.")
        return
    chosen = select(PAGE, choices)
    scope = chosen.scope
    accuracy = queries.accuracy(version, scope)
    slopes = queries.dataset_slopes(version, scope)
    calibration = queries.calibration(version, scope)
    rows = records(accuracy.frame)
    if chosen.is_sample:
        sample_badge()
    headline(page_finding(rows))
    panels.figures(rows, records(slopes.frame), records(calibration.frame))
    view = choose_tab(PAGE, "view", "View", _VIEWS, then_forget=("field", "tournament"))
    answers = [("Accuracy", accuracy), ("Slopes", slopes), ("Calibration", calibration)]
    answers += _view(view, version, scope, accuracy, calibration)
    st.page_link(
        "pages/debate_reader.py",
        label="Read the debates behind these numbers",
        query_params={"dataset": scope.dataset_id},
    )
    how_computed(METRICS, answers)


def _view(
    view: str, version: Version, scope: Scope, accuracy: Answer, calibration: Answer
) -> list[tuple[str, Answer]]:
    if view == "ratings":
        return ratings.ratings(PAGE, version, scope)
    if view == "tournament":
        return ratings.tournaments(PAGE, version, scope)
    if view == "calibration":
        bins = queries.reliability(version, scope)
        beliefs.calibration(version, calibration, bins)
        return [("Reliability", bins)]
    if view == "beliefs":
        found = queries.beliefs(version, scope)
        beliefs.beliefs(version, found)
        paired = queries.against_people(version, scope)
        beliefs.against_people(paired)
        return [("Belief by round", found), ("Models and people", paired)]
    if view == "quotes":
        found = queries.quotes(version, scope)
        tables.quotes(found)
        return [("Quotes", found)]
    if view == "biases":
        found = queries.biases(version, scope)
        tables.biases(version, found)
        return [("Biases", found)]
    if view == "votes":
        found = queries.ensembles(version, scope)
        tables.votes(found)
        return [("Votes", found)]
    if view == "questions":
        found = queries.funnel(version, scope)
        tables.funnel(found)
        return [("Questions", found)]
    panels.accuracy(version, accuracy)
    return []


if __name__ == "__main__":
    draw(page)
