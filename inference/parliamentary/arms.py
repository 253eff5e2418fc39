"""The ways in which an experiment has parliamentary debates adjudicated, from its file."""

from collections.abc import Mapping
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
from inference.value_rules import FLAG, PROMPT, Grid, is_one_of, is_text

# What a debate is asked about with where an experiment names no prompt.
_TEMPLATE_OF = {ALL: "bp_all", **{task: f"bp_{task}" for task in TASKS}}
_WITH_NOTES = "bp_notes"
# What follows the debate in a prompt varies fastest, so that requests in a row begin alike.
ADJUDICATION = Grid(
    "adjudication",
    {
        "manual": ((is_text, "the name of a judging manual"), ["bp_manual"]),
        "info_slide": (FLAG, [True]),
        "motion": (FLAG, [True]),
        "strategy": (is_one_of(STRATEGIES), [WHOLE]),
        "task": (is_one_of(ASKED_TASKS), [ALL]),
        "template": (PROMPT, [None]),
        "house_order": (
            (
                lambda value: value == SHUFFLED or value in NAMED_ORDERS,
                "the four houses in an order, such as co-cg-oo-og, or shuffled",
            ),
            [SPOKEN],
        ),
    },
)


def read_adjudications(path: Path, content: Mapping[str, Any]) -> tuple[Adjudication, ...]:
    """Return the arms of an experiment about parliamentary debates.

    Raises:
        UnknownExperiment: The combination of its lists asks for nothing.
    """
    lists = ADJUDICATION.lists(content)
    several = any(len(lists.get(name, [])) > 1 for name in ("task", "strategy"))
    if "template" in lists and several:
        raise UnknownExperiment(
            f"experiments: {path} names a prompt, which asks for one task by one strategy, and has "
            "several; leave the template out, or write an experiment for each"
        )
    arms: list[Adjudication] = []
    for chosen in ADJUDICATION.combinations(lists):
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
