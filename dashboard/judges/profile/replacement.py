"""The section of a profile that says whether the judge may stand in for people."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dashboard.core.findings import Row
from dashboard.core.labels import estimate, is_missing, number
from dashboard.core.tables import Column, listed
from dashboard.core.words import EXPERIMENTS, words_alone
from dashboard.debates.labels import setting_name
from dashboard.judges.profile.parts import Link, Section


def replacement(rows: Sequence[Row], judges: Sequence[str]) -> Section:
    """Return what was decided about judges in the place of people.

    Args:
        rows: Of `rpt_decisions`.
        judges: One id or two.
    """
    columns: dict[str, Column] = {
        **({"judge": "judge_id"} if len(judges) > 1 else {}),
        "data set": "dataset_id",
        "of": "dimension",
        "asked": _asked,
        "answer": "answer",
        "advantage probability": _stated("advantage_probability"),
        "a person's": _stated("people_advantage_probability"),
        "winning rate": _stated("winning_rate"),
        "people": lambda row: _named(row, "winning_rate").get("n"),
        "why not": lambda row: None if is_missing(row["reason"]) else row["reason"],
        "what would change it": "would_change",
    }
    first: dict[tuple[Any, Any], Row] = {}
    for row in rows:
        first.setdefault((row["dataset_id"], row["judge_id"]), row)
    answers = Counter(row["answer"] for row in rows)
    return Section(
        "May it stand in for a person?",
        "replacement",
        rows,
        partial(listed, columns=columns),
        "No data set that several people annotated has its answers.",
        brief=", ".join(f"{answer}: {answers[answer]}" for answer in sorted(answers)),
        links=[
            Link(
                f"Decide: {judge} on {dataset}",
                "decide",
                {"topic": "replace", "dataset": str(dataset), "judge": str(judge)},
            )
            for dataset, judge in list(first)[:8]
        ],
    )


def _asked(row: Row) -> str:
    asked = setting_name(row)
    if is_missing(row["experiment"]):
        return asked
    return f"{words_alone(row['experiment'], EXPERIMENTS)}: {asked}"


def _named(row: Row, measure: str) -> dict[str, Any]:
    numbers: list[dict[str, Any]] = json.loads(row["numbers"])
    return next((one for one in numbers if one["measure"] == measure), {})


def _stated(measure: str) -> Callable[[Row], str | None]:
    def show(row: Row) -> str | None:
        one = _named(row, measure)
        if is_missing(one.get("value")):
            return None
        ends = one.get("low"), one.get("high")
        return number(one["value"]) if None in ends else estimate(one["value"], *ends)

    return show
