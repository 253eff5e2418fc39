"""The ways in which an experiment has questions answered, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from inference.answers import Generation
from inference.errors import UnknownExperiment
from inference.experiment_keys import GENERATION


def read_generations(path: Path, content: Mapping[str, Any]) -> tuple[Generation, ...]:
    """Return the arms of an experiment about questions to answer.

    Args:
        path: The experiment's file.
        content: What it holds.

    Raises:
        UnknownExperiment: It names no prompt, or asks for something twice.
    """
    grid = dict(content.get("answers", {}))
    with_documents = grid.pop("template_with_documents", "qa_rag")
    trusted = grid.pop("trusted_only", [False])
    grid.setdefault("template", [content["template"]] if "template" in content else [])
    if not grid["template"]:
        raise UnknownExperiment(f"experiments: {path} lacks the key 'template'; add it")
    arms: list[Generation] = []
    for number, each in product(
        range(len(trusted)),
        product(*(grid.get(name, default) for name, default in GENERATION.items())),
    ):
        arm = Generation(**dict(zip(GENERATION, each, strict=True)))
        if arm.retrieval != "none":
            arm = replace(arm, template=with_documents, is_trusted_only=trusted[number])
        elif number:
            # Where nothing is shown, nothing can be trusted.
            continue
        decoding = (arm.temperature, arm.top_p)
        temperature, top_p = (None if value is None else float(value) for value in decoding)
        arm = replace(arm, temperature=temperature, top_p=top_p)
        if arm in arms:
            raise UnknownExperiment(
                f"experiments: {path} has the arm '{arm.words}' of prompt '{arm.template}' twice; "
                "with retrieval all arms have the prompt answers.template_with_documents, so name "
                "one template there; ask several times with repeats"
            )
        arms.append(arm)
    return tuple(arms)
