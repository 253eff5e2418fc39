"""The ways in which an experiment has questions about stories judged, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKED_FOR,
    CHOICE,
    FORWARD,
    NO_PROBE,
    PROBABILITY,
    PROBES,
    PROTOCOLS,
    JudgingPlan,
)
from inference.oversight.judging import ARGUED, UNARGUED
from inference.value_rules import NAMES_PROMPTS, Rule, is_list_of, is_one_of, whole

# What an experiment's file may say of each, and what it takes where it does not. A step is a
# round after which is asked; all of them is the end.
AT_THE_END = "end"
JUDGING: Mapping[str, list[Any]] = {
    "protocol": [],
    "template": [None],
    "step": [AT_THE_END],
    "probe": [NO_PROBE],
    "asked_for": [PROBABILITY],
    "answer_order": [FORWARD],
}
TABLES: Mapping[str, Mapping[str, Rule]] = {
    "judging": {
        "protocol": is_list_of(is_one_of(PROTOCOLS)),
        "answer_order": is_list_of(is_one_of(ANSWER_ORDERS)),
        "asked_for": is_list_of(is_one_of(ASKED_FOR)),
        "probe": is_list_of(is_one_of(PROBES)),
        "step": is_list_of(
            (
                lambda value: value == AT_THE_END or whole(1)(value),
                f'the number of a round, or "{AT_THE_END}"',
            )
        ),
        "template": NAMES_PROMPTS,
    },
}


# Which protocols each kind of experiment asks about: without a transcript, and with one.
PROTOCOLS_OF: Mapping[str, tuple[str, ...]] = {"reading": UNARGUED, "oversight": ARGUED}


def usual_template(protocol: str, asked_for: str) -> str:
    """Return the prompt a judge is asked with where an experiment names none."""
    name = protocol if protocol in UNARGUED else "judge"
    return f"ov_{name}_choice" if asked_for == CHOICE else f"ov_{name}"


def read_judgings(path: Path, content: Mapping[str, Any], kind: str) -> tuple[JudgingPlan, ...]:
    """Return the arms of an experiment that has questions about stories judged.

    A probe is one arm for each answer whose turns it changes.

    Args:
        path: The experiment's file.
        content: What it holds.
        kind: `reading` for judges who see nobody argue, `oversight` for judges of transcripts.

    Raises:
        UnknownExperiment: A protocol is of the other kind, or what is not shown is changed.
    """
    known = PROTOCOLS_OF[kind]
    grid = {"protocol": list(known), **content.get("judging", {})}
    if "template" in content:
        grid = {"template": [content["template"]], **grid}
    for protocol in grid["protocol"]:
        if protocol not in known:
            other = next(each for each in PROTOCOLS_OF if protocol in PROTOCOLS_OF[each])
            raise UnknownExperiment(
                f"experiments: {path} asks about '{protocol}', and kind = \"{kind}\" is about "
                f'{" and ".join(known)}; write an experiment with kind = "{other}" for it'
            )
    if kind == "reading" and ("probe" in grid or "step" in grid):
        raise UnknownExperiment(
            f"experiments: {path} has a probe or a step, which change transcripts, and "
            f'kind = "{kind}" shows none; take them out'
        )
    arms: list[JudgingPlan] = []
    for each in product(*(grid.get(name, default) for name, default in JUDGING.items())):
        chosen = dict(zip(JUDGING, each, strict=True))
        arms += [
            JudgingPlan(
                chosen["template"] or usual_template(chosen["protocol"], chosen["asked_for"]),
                chosen["protocol"],
                chosen["answer_order"],
                chosen["asked_for"],
                chosen["probe"],
                probed,
                None if chosen["step"] == AT_THE_END else chosen["step"],
            )
            for probed in ((None,) if chosen["probe"] == NO_PROBE else (0, 1))
        ]
    return tuple(arms)
