"""The ways in which an experiment has parliamentary debates adjudicated, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.parliamentary.items import (
    ALL,
    ASKED_TASKS,
    NAMED_ORDERS,
    NOTES,
    SHUFFLED,
    SPOKEN,
    STRATEGIES,
    TASKS,
    WHOLE,
    Adjudication,
)
from inference.value_rules import FLAGS, NAMES_PROMPTS, Rule, is_list_of, is_one_of, is_text

# What a debate is asked about with where an experiment names no prompt.
_TEMPLATE_OF = {ALL: "bp_all", **{task: f"bp_{task}" for task in TASKS}}
_WITH_NOTES = "bp_notes"


# What an experiment's file may say of each, and what it takes where it does not: what follows
# the debate in a prompt varies fastest, so that requests that are asked in a row begin alike.
ADJUDICATION: Mapping[str, list[Any]] = {
    "manual": ["bp_manual"],
    "info_slide": [True],
    "motion": [True],
    "strategy": [WHOLE],
    "task": ["all"],
    "template": [None],
    "house_order": [SPOKEN],
}
TABLES: Mapping[str, Mapping[str, Rule]] = {
    "adjudication": {
        "task": is_list_of(is_one_of(ASKED_TASKS)),
        "house_order": is_list_of(
            (
                lambda value: value == SHUFFLED or value in NAMED_ORDERS,
                "the four houses in an order, such as co-cg-oo-og, or shuffled",
            )
        ),
        "strategy": is_list_of(is_one_of(STRATEGIES)),
        "manual": is_list_of((is_text, "the name of a judging manual")),
        "motion": FLAGS,
        "info_slide": FLAGS,
        "template": NAMES_PROMPTS,
    },
}


def read_adjudications(path: Path, content: Mapping[str, Any]) -> tuple[Adjudication, ...]:
    """Return the arms of an experiment about parliamentary debates.

    Args:
        path: The experiment's file.
        content: What it holds.

    Raises:
        UnknownExperiment: The combination of its lists asks for nothing.
    """
    grid = content.get("adjudication", {})
    if "template" in content:
        grid = {"template": [content["template"]], **grid}
    if "template" in grid and (
        len(grid.get("task", [ALL])) > 1 or len(grid.get("strategy", [])) > 1
    ):
        raise UnknownExperiment(
            f"experiments: {path} names a prompt, which asks for one task by one strategy, and has "
            "several; leave the template out, or write an experiment for each"
        )
    arms: list[Adjudication] = []
    for each in product(*(grid.get(name, default) for name, default in ADJUDICATION.items())):
        chosen = dict(zip(ADJUDICATION, each, strict=True))
        task, strategy, template = chosen["task"], chosen["strategy"], chosen["template"]
        if template is None and strategy == NOTES and task != ALL:
            raise UnknownExperiment(
                f"experiments: {path} has the task '{task}' ruled on from notes, and the shipped "
                "prompt for that asks for all tasks; name one of your own with the slot {notes}"
            )
        arms.append(
            Adjudication(
                template or (_WITH_NOTES if strategy == NOTES else _TEMPLATE_OF[task]),
                task,
                chosen["house_order"],
                strategy,
                chosen["manual"],
                shows_motion=chosen["motion"],
                shows_info_slide=chosen["info_slide"],
            )
        )
    return tuple(arms)
