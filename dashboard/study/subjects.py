"""Of which pages and views the study of a subject consists, and how it is narrowed to judges."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from dashboard.core import queries
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.debates import queries as debate_queries
from dashboard.oversight import queries as oversight_queries
from dashboard.pages import bias_lab, oversight, parliamentary, speech_judges
from dashboard.parliamentary import queries as parliamentary_queries
from dashboard.parliamentary.labels import setting_id
from dashboard.questions import queries as question_queries
from dashboard.speeches.tabs import TABS
from dashboard.study.errors import StudyFailed
from warehouse.reader import Version
from warehouse.subjects import TITLES


class Subject(NamedTuple):
    """A subject's page.

    Attributes:
        title: What it is called.
        page: Its file in `pages`.
        choices: Asks what can be selected there, the default first.
        asks: The URL parameters that lead to a row of `choices`.
        tab: The URL parameter that names a view; empty if the page has no views.
        views: The views by what the parameter says.
        has_judges: Whether the page can be narrowed to judges.
    """

    title: str
    page: str
    choices: Callable[[Version], Answer]
    asks: Mapping[str, Callable[[Row], str]]
    tab: str = ""
    views: Mapping[str, str] = {}
    has_judges: bool = True


def _column(name: str) -> Callable[[Row], str]:
    return lambda row: str(row[name])


STUDIES: Mapping[str, Subject] = {
    "speeches": Subject(
        TITLES["speeches"],
        speech_judges.PAGE,
        queries.choices,
        {name: _column(f"{name}{end}") for name, end in {"dataset": "_id", "dimension": ""}.items()}
        | {"template": _column("template")},
        "about",
        {speech_judges.AGREEMENT: "Agreement with people"}
        | {name: tab.name.capitalize() for name, tab in TABS.items()},
    ),
    "debates": Subject(
        TITLES["debates"],
        bias_lab.PAGE,
        debate_queries.choices,
        {
            "dataset": _column("dataset_id"),
            "experiment": _column("experiment"),
            "template": _column("template"),
            "outcome": _column("outcome"),
        },
        "bias",
        {"accuracy": "Accuracy"} | {name: one.capitalize() for name, one in bias_lab.TABS.items()},
    ),
    "questions": Subject(
        TITLES["questions"],
        "debatable_questions",
        question_queries.choices,
        {},
        has_judges=False,
    ),
    "parliamentary": Subject(
        TITLES["parliamentary"],
        parliamentary.PAGE,
        parliamentary_queries.choices,
        {"dataset": _column("dataset_id"), "asked": setting_id},
        "view",
        {name: view.name.capitalize() for name, view in parliamentary.VIEWS.items()},
    ),
    "oversight": Subject(
        TITLES["oversight"],
        oversight.PAGE,
        oversight_queries.choices,
        {"dataset": _column("dataset_id")},
        "view",
        {name: view.name.capitalize() for name, view in oversight.VIEWS.items()},
    ),
}


def address_of(subject: Subject, rows: Sequence[Row], judges: Sequence[str]) -> dict[str, str]:
    """Return the URL parameters of the first selection that has one of these judges.

    Args:
        rows: What can be selected.

    Raises:
        StudyFailed: None of them is there.
    """
    for row in rows:
        if any(judge in judges_in(row) for judge in judges):
            return {name: value(row) for name, value in subject.asks.items()}
    known = sorted({judge for row in rows for judge in judges_in(row)})
    message = (
        f"report: {subject.title.lower()}: no judge named {', '.join(judges)}; there are "
        f"{', '.join(known)}"
    )
    raise StudyFailed(message)


def judges_in(row: Row) -> Sequence[str]:
    """Return the judges of a selection."""
    several = row.get("judge_ids")
    if isinstance(several, str | None) or several is None:
        return [str(row["judge_id"])] if row.get("judge_id") else []
    return [str(one) for one in several]
