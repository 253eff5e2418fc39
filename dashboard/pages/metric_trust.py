"""Do the metrics of debatable questions say what people say, and say it again next time?"""

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_dataset, choose_one, filter_row
from dashboard.core.data import Answer
from dashboard.core.widgets import headline, how_computed, page_title, sample_badge
from dashboard.questions.labels import SHORT_NAMES
from dashboard.questions.selection import nothing_answered
from dashboard.questions.trust import accuracy as trust_accuracy
from dashboard.questions.trust import alignment as trust_alignment
from dashboard.questions.trust import panels as trust_panels
from dashboard.questions.trust import queries as trust_queries
from dashboard.questions.trust import stability as trust_stability
from dashboard.questions.trust.findings import trust_finding
from dashboard.questions.trust.labels import (
    ACCURACY,
    ALIGNMENT,
    METHODS,
    MISSING,
    PEOPLE,
    STABILITY,
)
from warehouse.reader import Version

PAGE = "metric_trust"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Can this metric be trusted?")
    datasets = trust_queries.datasets(version).frame
    if datasets.empty:
        nothing_answered()
        dataset, method, is_sample = "", next(iter(METHODS)), False
    else:
        dataset, method, is_sample = _select(datasets)
    alignment = trust_queries.alignment(version, dataset, method)
    accuracy = trust_queries.accuracy(version, dataset)
    stability = trust_queries.stability(version, dataset)
    people = trust_queries.people(version, dataset)
    beyond = trust_queries.missing_viewpoints(version, dataset)
    if dataset:
        if is_sample:
            sample_badge(top)
        found = [one.rows for one in (alignment, accuracy, stability, people)]
        headline(trust_finding(found[0], found[1], found[3]))
        st.caption(SHORT_NAMES)
        trust_panels.figures(*found)
    printed = [
        trust_queries.published_alignment(version),
        trust_queries.published_accuracy(version),
        trust_queries.published_people(version),
        trust_queries.published_missing_viewpoints(version),
    ]
    st.subheader("Does it rank answers as people do?", anchor=False)
    trust_alignment.alignment(alignment, printed[0])
    trust_alignment.printed_alignment.show(printed[0])
    st.subheader("Does the judge of D.A. beat the majority label?", anchor=False)
    trust_accuracy.accuracy(accuracy, printed[1])
    trust_accuracy.printed_accuracy.show(printed[1])
    st.subheader("Do models keep their places?", anchor=False)
    trust_stability.stability(stability)
    st.subheader("Do people agree?", anchor=False)
    trust_stability.people.show(people)
    trust_stability.printed_people.show(printed[2])
    st.subheader("Do answers say what the data set lacks?", anchor=False)
    trust_stability.missing_viewpoints.show(beyond)
    trust_stability.printed_missing_viewpoints.show(printed[3])
    names = (
        "Alignment",
        "Dispute accuracy",
        "Stability",
        "People",
        "Missing viewpoints",
        "Printed alignment",
        "Printed accuracy",
        "Printed agreement",
        "Printed missing viewpoints",
    )
    answers: list[Answer] = [alignment, accuracy, stability, people, beyond, *printed]
    how_computed(
        [ALIGNMENT, ACCURACY, STABILITY, PEOPLE, MISSING], list(zip(names, answers, strict=True))
    )


def _select(datasets: pd.DataFrame) -> tuple[str, str, bool]:
    boxes, _ = filter_row(PAGE, [5, 4])
    with boxes[0]:
        dataset, is_sample = choose_dataset(PAGE, datasets)
    with boxes[1]:
        method = choose_one(
            PAGE,
            "method",
            "People's choices ranked by",
            METHODS,
            explain="How comparisons of two answers become a ranking of all of them.",
        )
    return dataset, method, is_sample


if __name__ == "__main__":
    draw(page)
