"""The ways in which an experiment has parliamentary debates adjudicated, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.experiment_keys import ADJUDICATION
from inference.parliamentary.items import ALL, NOTES, TASKS, Adjudication

# What a debate is asked about with where an experiment names no prompt.
_TEMPLATE_OF = {ALL: "bp_all", **{task: f"bp_{task}" for task in TASKS}}
_WITH_NOTES = "bp_notes"


def read_adjudications(path: Path, content: Mapping[str, Any]) -> tuple[Adjudication, ...]:
    """Return the arms of an experiment about parliamentary debates.

    Args:
        path: The experiment's file.
        content: What it holds.

    Raises:
        UnknownExperiment: The combination of its lists asks for something twice, or for nothing.
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
        arm = Adjudication(
            template or (_WITH_NOTES if strategy == NOTES else _TEMPLATE_OF[task]),
            task, chosen["house_order"], strategy, chosen["manual"],
            shows_motion=chosen["motion"], shows_info_slide=chosen["info_slide"],
        )  # fmt: skip
        if arm in arms:
            raise UnknownExperiment(
                f"experiments: {path} has the arm '{arm.words}' of prompt '{arm.template}' twice; "
                "ask several times with repeats"
            )
        arms.append(arm)
    return tuple(arms)
