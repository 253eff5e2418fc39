"""Which data set, way of asking and judges the page shows; kept in the URL."""

from typing import NamedTuple

import pandas as pd

from dashboard.core.choices import choose_dataset, choose_judges, choose_one, filter_row
from dashboard.core.findings import Row, records
from dashboard.core.widgets import next_steps
from dashboard.parliamentary.labels import setting_id, setting_name
from dashboard.parliamentary.queries import Room

# A debate and an answer belong to what was chosen when they were opened.
OPENED = ("debate", "answer")
LOAD = "rostrum ingest debatebench --from FOLDER"
JUDGE = "rostrum judges\nrostrum run bp-adjudication --judge JUDGE"


class Chosen(NamedTuple):
    """What was chosen, and what to say of it.

    Attributes:
        room: For the queries.
        way: How the judges were asked: a row of `queries.choices`.
    """

    room: Room
    way: Row
    is_sample: bool


def select(page: str, choices: pd.DataFrame) -> Chosen:
    """Show the selection and return it."""
    boxes, _ = filter_row(page, [3, 5, 4])
    with boxes[0]:
        forget = ("asked", "judge", *OPENED)
        dataset, is_sample = choose_dataset(page, choices, then_forget=forget)
    rows = records(choices[choices["dataset_id"] == dataset])
    ways: dict[str, Row] = {}
    for row in rows:
        ways.setdefault(setting_id(row), row)
    with boxes[1]:
        asked = choose_one(
            page,
            "asked",
            "Asked how",
            {one: setting_name(row) for one, row in ways.items()},
            explain="Answers to different questions, or to prompts that differ, are never mixed.",
            then_forget=OPENED,
        )
    mine = {row["judge_id"]: row for row in rows if setting_id(row) == asked}
    with boxes[2]:
        judges = choose_judges(page, sorted(mine))
    settings = tuple(str(mine[judge]["setting_id"]) for judge in judges)
    return Chosen(Room(dataset, settings), ways[asked], is_sample)


def nothing_adjudicated() -> None:
    """Say what to run when no judge has adjudicated a debate yet."""
    load = (
        "**No judge has adjudicated a parliamentary debate yet.** Load debates with their results; "
        "tabs of tournaments and other sources are loaded likewise:"
    )
    next_steps((load, LOAD), ("See which judges there are, then run one:", JUDGE), demo="judges")
