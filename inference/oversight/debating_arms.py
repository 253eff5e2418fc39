"""The ways in which an experiment has questions about stories debated, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.oversight.items import (
    CONSULTANCY,
    DEBATE,
    SELF,
    SEQUENTIAL,
    SIMULTANEOUS,
    TURN_ORDERS,
    DebatePlan,
)
from inference.value_rules import (
    NAMES_PROMPTS,
    Rule,
    is_list_of,
    is_one_of,
    is_small,
    is_text,
    whole,
)

# What an experiment's file may say of each, and what it takes where it does not: who argues for
# what varies fastest, so that a story is read once.
DEBATING: Mapping[str, list[Any]] = {
    "template": ["ov_debater"],
    "protocol": [DEBATE],
    "turn_order": [SIMULTANEOUS],
    "rounds": [3],
    "asker": [None],
    "word_limit": [150],
    "best_of": [1],
    "preference_judge": [None],
    "refine": [0],
    "opponent": [SELF],
    "argues": [0],
}
TABLES: Mapping[str, Mapping[str, Rule]] = {
    "debate": {
        "template": NAMES_PROMPTS,
        "protocol": is_list_of(is_one_of((DEBATE, CONSULTANCY))),
        "turn_order": is_list_of(is_one_of(TURN_ORDERS)),
        "rounds": is_list_of((is_small(20), "a whole number from 1 to 20")),
        "asker": is_list_of((is_text, f"the id of a judge, or {SELF}")),
        "word_limit": is_list_of((whole(10), "a number of words, 10 or more")),
        "best_of": is_list_of((is_small(64), "a whole number from 1 to 64")),
        "preference_judge": is_list_of((is_text, f"the id of a judge, or {SELF}")),
        "refine": is_list_of((whole(0), "a whole number, 0 or more")),
        "opponent": is_list_of((is_text, f"the id of a judge, or {SELF}")),
        "argues": is_list_of((lambda value: whole(0)(value) and value < 2, "0 or 1")),
    },
}


def read_debate_plans(path: Path, content: Mapping[str, Any]) -> tuple[DebatePlan, ...]:
    """Return the arms of an experiment about questions on stories.

    Args:
        path: The experiment's file.
        content: What it holds.

    Raises:
        UnknownExperiment: The combination of its lists asks for what cannot be.
    """
    grid = content.get("debate", {})
    if "template" in content:
        grid = {"template": [content["template"]], **grid}
    plans: list[DebatePlan] = []
    for each in product(*(grid.get(name, default) for name, default in DEBATING.items())):
        plan = DebatePlan(**dict(zip(DEBATING, each, strict=True)))
        if plan.protocol == CONSULTANCY:
            plan = _alone(path, plan, grid)
        if plan.best_of == 1 and "best_of" in grid and len(grid["best_of"]) > 1:
            # The arm that the others are compared with has nothing to choose among.
            plan = _without_preference(plan)
        check_plan(plan, f"experiments: {path}")
        plans.append(plan)
    return tuple(plans)


def check_plan(plan: DebatePlan, who: str) -> None:
    """Refuse a plan that cannot be carried out as it says.

    Args:
        plan: The plan.
        who: Whose it is, for the message.

    Raises:
        UnknownExperiment: Candidates are to be written and nobody chooses, or the other way round;
            somebody is to ask between rounds and there is one; or a lone consultant is to wait.
    """
    if (plan.best_of > 1) != (plan.preference_judge is not None):
        lacks = "nobody to choose" if plan.best_of > 1 else "nothing to choose among"
        raise UnknownExperiment(
            f"{who} has best_of = {plan.best_of} and {lacks}; give preference_judge with best_of "
            "of 2 or more, and neither otherwise"
        )
    if plan.asker is not None and plan.rounds == 1:
        raise UnknownExperiment(
            f"{who} has an asker, who asks between rounds, and one round; have two or more"
        )
    if plan.protocol == CONSULTANCY and plan.turn_order == SEQUENTIAL:
        raise UnknownExperiment(
            f"{who} has a consultancy with sequential turns, and a consultant speaks alone; leave "
            "turn_order out"
        )


def _alone(path: Path, plan: DebatePlan, grid: Mapping[str, Any]) -> DebatePlan:
    if "opponent" in grid and len(grid.get("protocol", [])) == 1:
        raise UnknownExperiment(
            f"experiments: {path} has a consultancy with an opponent; take debate.opponent out, or "
            'set protocol = ["debate"]'
        )
    return DebatePlan(**{**vars(plan), "opponent": None})


def _without_preference(plan: DebatePlan) -> DebatePlan:
    return DebatePlan(**{**vars(plan), "preference_judge": None})
