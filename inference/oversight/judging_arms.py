"""The ways in which an experiment has questions about stories judged, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from inference.errors import UnknownExperiment
from inference.experiment_keys import AT_THE_END, JUDGING
from inference.oversight.items import CHOICE, NO_PROBE, JudgingPlan
from inference.oversight.judging import ARGUED, UNARGUED

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
        UnknownExperiment: A protocol is of the other kind, or something is asked twice.
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
        for probed in (None,) if chosen["probe"] == NO_PROBE else (0, 1):
            arm = JudgingPlan(
                chosen["template"] or usual_template(chosen["protocol"], chosen["asked_for"]),
                chosen["protocol"], chosen["answer_order"], chosen["asked_for"], chosen["probe"],
                probed, None if chosen["step"] == AT_THE_END else chosen["step"],
            )  # fmt: skip
            if arm in arms:
                raise UnknownExperiment(
                    f"experiments: {path} has the arm '{arm.words}' of prompt '{arm.template}' "
                    "twice; ask several times with repeats"
                )
            arms.append(arm)
    return tuple(arms)
