"""Do debates lead a judge who has not read the story to the truth, and do persuasive ones more?"""

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_tab
from dashboard.core.data import Answer
from dashboard.core.panels import View
from dashboard.core.widgets import headline, how_computed, page_title, sample_badge
from dashboard.oversight import beliefs, panels, queries, ratings, tables
from dashboard.oversight.findings import page_finding
from dashboard.oversight.labels import METRICS
from dashboard.oversight.queries import Scope
from dashboard.oversight.selection import nothing_judged, select
from dashboard.study.button import study_button
from warehouse.reader import Version

PAGE = "oversight"


class Seen(NamedTuple):
    """What every view may draw.

    Attributes:
        scope: What was chosen.
        accuracy: How often judges are right.
        calibration: Whether their probabilities mean what they say.
    """

    version: Version
    scope: Scope
    accuracy: Answer
    calibration: Answer


def _beliefs(_: Seen, found: Answer, paired: Answer) -> None:
    beliefs.beliefs.show(found)
    beliefs.against_people.show(paired)


VIEWS: Mapping[str, View] = {
    "accuracy": View("accuracy", lambda seen: panels.accuracy.show(seen.accuracy, seen.version)),
    "ratings": View("ratings", lambda seen: ratings.ratings(PAGE, seen.version, seen.scope)),
    "calibration": View(
        "calibration",
        lambda seen, bins: beliefs.calibration.show(seen.calibration, seen.version, bins),
        {"Reliability": queries.reliability},
    ),
    "beliefs": View(
        "belief by round",
        _beliefs,
        {"Belief by round": queries.beliefs, "Models and people": queries.against_people},
    ),
    "quotes": View(
        "quotes", lambda _, found: tables.quotes.show(found), {"Quotes": queries.quotes}
    ),
    "biases": View(
        "biases",
        lambda _, found: tables.biases.show(found),
        {"Biases": queries.biases},
    ),
    "votes": View("votes", lambda _, found: tables.votes.show(found), {"Votes": queries.ensembles}),
    "tournament": View(
        "tournament", lambda seen: ratings.tournaments(PAGE, seen.version, seen.scope)
    ),
    "questions": View(
        "questions", lambda _, found: tables.funnel.show(found), {"Questions": queries.funnel}
    ),
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Oversight")
    choices = queries.choices(version).frame
    if choices.empty:
        nothing_judged("Nobody has judged a question about a story yet.")
        return
    chosen = select(PAGE, choices)
    scope = chosen.scope
    accuracy = queries.accuracy(version, scope)
    slopes = queries.dataset_slopes(version, scope)
    calibration = queries.calibration(version, scope)
    rows = accuracy.rows
    if chosen.is_sample:
        sample_badge(top)
    headline(page_finding(rows))
    panels.figures(rows, slopes.rows, calibration.rows)
    names = {key: view.name for key, view in VIEWS.items()}
    view = choose_tab(PAGE, "view", "View", names, then_forget=("field", "tournament"))
    answers = [("Accuracy", accuracy), ("Slopes", slopes), ("Calibration", calibration)]
    answers += VIEWS[view].show(version, scope, Seen(version, scope, accuracy, calibration))
    st.page_link(
        "pages/debate_reader.py",
        label="Read the debates behind these numbers",
        query_params={"dataset": scope.dataset_id},
    )
    how_computed(METRICS, answers)
    study_button(version, "oversight")


if __name__ == "__main__":
    draw(page)
