"""One topic of the page on decisions, and what all topics show alike: the decision itself."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dashboard.core.data import Answer
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import catalogue
from dashboard.core.labels import (
    capital,
    count,
    escape_markdown,
    interval,
    is_missing,
    joined,
    number,
)
from dashboard.core.widgets import figure, figure_row, headline
from dashboard.core.words import reworded
from warehouse.reader import Version


class Chosen(NamedTuple):
    """What is chosen on the page.

    Attributes:
        rows: The decisions of the topic on them.
        answer: The query that gave these rows.
        row: The decision that is shown.
    """

    dataset_id: str
    judges: tuple[str, ...]
    rows: Sequence[Row]
    answer: Answer
    row: Row


class Section(NamedTuple):
    """One topic.

    Attributes:
        name: What its tab is called.
        question: What it answers, in a sentence.
        empty: What to do where no decision is known, and the command for it.
        draw: Draws what stands below the decision: chart, table, how it is computed.
    """

    name: str
    question: str
    empty: tuple[str, str]
    draw: Callable[[Version, Chosen], None]


# What is said of a decision, and where it stands.
SAID = (
    ("Why", "reason"),
    ("What would change it", "would_change"),
    ("What that would cost", "cost"),
)


class Stated(NamedTuple):
    """A number behind a decision, as text.

    Attributes:
        name: What it is.
        value: The number alone.
        note: Its interval and n.
        explain: One line on what it means.
    """

    name: str
    value: str
    note: str
    explain: str


def stated(decision: Row) -> list[Stated]:
    """Return the numbers behind a decision as text."""
    known = catalogue().measures
    found = []
    for one in json.loads(decision["numbers"]):
        measure = known.get(one["measure"])
        ends = interval(one.get("low"), one.get("high"))
        n = "" if is_missing(one.get("n")) else f"n = {count(one['n'])}"
        found.append(
            Stated(
                measure.name if measure else one["measure"].replace("_", " ").capitalize(),
                number(one.get("value")),
                joined((ends, n)) or "no interval",
                measure.meaning if measure else "",
            )
        )
    return found


def sentence(words: str) -> str:
    """Return words with a capital and a full stop: a reason is written as part of a sentence."""
    return f"{capital(words.rstrip('.'))}."


def finding(decision: Row) -> Finding:
    """Return a decision as the sentences that stand above everything else."""
    question = escape_markdown(reworded(decision["question"]))
    answer = escape_markdown(decision["answer"])
    said = " ".join(
        f"*{label}:* {escape_markdown(sentence(decision[column]))}"
        for label, column in SAID
        if not is_missing(decision[column])
    )
    return Finding(f"{question} {answer.capitalize()}.", said)


def show_decision(decision: Row) -> None:
    """Draw a decision: question and answer, its three numbers, what would change it."""
    headline(finding(decision))
    with figure_row():
        for one in stated(decision)[:4]:
            figure(one.name, one.value, one.note, one.explain)
