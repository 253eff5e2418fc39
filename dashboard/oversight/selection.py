"""Which data set, judges, debaters and protocols the oversight page shows; kept in the URL."""

from typing import NamedTuple

import pandas as pd

from dashboard.core.choices import choose_dataset, choose_many, choose_one, filter_row
from dashboard.core.findings import records
from dashboard.core.labels import HUMAN, plural
from dashboard.core.widgets import next_steps
from dashboard.oversight.labels import PROTOCOLS
from dashboard.oversight.queries import Scope

LOAD = "rostrum ingest sample --no-build\nrostrum ingest quality --from FILE"
DEBATE = (
    "rostrum run story-debate --judge DEBATER --no-build\nrostrum run story-judgement --judge JUDGE"
)


class Chosen(NamedTuple):
    """What was chosen, and what to say of it.

    Attributes:
        scope: For the queries.
    """

    scope: Scope
    is_sample: bool


def select(page: str, choices: pd.DataFrame) -> Chosen:
    """Show the selection and return it."""
    is_paper = any(row["selection"] == "paper" for row in records(choices))
    boxes, more = filter_row(page, [3, 3, 3, 3], is_more=is_paper)
    with boxes[0]:
        forget = ("judge", "debater", "protocol", "field", "tournament", "rooms")
        dataset, is_sample = choose_dataset(page, choices, then_forget=forget)
    rows = [row for row in records(choices) if row["dataset_id"] == dataset]
    there = {str(row["protocol"]) for row in rows}
    with boxes[1]:
        known = [one for one in PROTOCOLS if one in there]
        protocols = choose_many(
            page,
            "protocol",
            "Protocols",
            [*known, *sorted(there - set(known))],
            everything="All protocols",
        )
    with boxes[2]:
        alone = {str(row["judge_id"]) for row in rows if row["is_one_person"]}
        together = sorted({str(row["judge_id"]) for row in rows} - alone)
        several = _all(len(together), "judge")
        judge = choose_many(
            page,
            "judge",
            "Judges",
            [*together, *sorted(alone)],
            everything=f"{several}; single people by name" if alone else several,
            explain=f"{HUMAN} stands for all people together.",
        )
        if len(judge) == len(together) + len(alone):
            judge = tuple(together) or judge
    with boxes[3]:
        debaters = sorted({str(row["debater"]) for row in rows} - {"none"})
        debater = choose_many(
            page, "debater", "Debaters", debaters, everything=_all(len(debaters), "debater")
        )
    selection = "all"
    if any(row["selection"] == "paper" for row in rows):
        with more:
            selection = choose_one(
                page,
                "rooms",
                "Rooms",
                {"all": "All rooms", "paper": "Rooms of the paper's analysis"},
                explain="Either way every room stays in the warehouse.",
            )
    return Chosen(Scope(dataset, judge, debater, protocols, selection), is_sample)


def _all(n: int, what: str) -> str:
    return f"The one {what}" if n == 1 else f"All {plural(n, what)}"


def nothing_judged(first: str) -> None:
    """Say what to run when there is nothing to show yet.

    Args:
        first: What is missing, as a sentence.
    """
    ask = "Have models debate them and other models judge; the first command names models:"
    next_steps(
        (f"**{first}** Load stories with questions about them:", LOAD),
        (ask, f"rostrum judges\n{DEBATE}"),
        demo="judges",
    )
