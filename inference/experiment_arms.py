"""The ways in which an experiment asks about debates and has questions answered, from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from inference.debates.variants import Arm, read_labels
from inference.errors import UnknownExperiment
from inference.experiment_keys import ARM, GENERATION, GRID, check
from inference.questions.answers import NOTHING, Generation
from inference.questions.web.settings import NEEDS, RetrievalSettings


def read_arms(path: Path, content: Mapping[str, Any]) -> tuple[Arm, ...]:
    """Return the arms of an experiment about debates.

    Args:
        path: The experiment's file.
        content: What it holds.

    Raises:
        UnknownExperiment: Labels cannot be told apart, or something is lacking or asked twice.
    """
    grid, tables = content.get("variants"), content.get("arms")
    if (grid is None) == (tables is None):
        raise UnknownExperiment(
            f"experiments: {path} asks about debates and has "
            f"{'neither' if grid is None else 'both'} [variants] and [[arms]]; give one of them: "
            "[variants] for every combination, [[arms]] for each on its own"
        )
    if grid is not None:
        # Labels vary slowest: prompts with the same ones begin alike, and are asked in a row.
        factors = [grid.get(name, [content.get("template")] if name == "template" else default)
                   for name, default in GRID.items()]  # fmt: skip
        if not grid.get("labels"):
            raise UnknownExperiment(f"experiments: {path} lacks the key 'variants.labels'; add it")
        combined = [dict(zip(GRID, each, strict=True)) for each in product(*factors)]
    else:
        combined = []
        for number, table in enumerate(tables or [], start=1):
            check(path, f"arms[{number}].", table, ARM, required=("labels",))
            defaults = {name: values[0] for name, values in GRID.items() if values}
            combined.append(defaults | {"template": content.get("template")} | table)
    arms = []
    for each in combined:
        if not each["template"]:
            raise UnknownExperiment(f"experiments: {path} lacks the key 'template'; add it")
        try:
            read_labels(each["labels"])
        except ValueError as error:
            raise UnknownExperiment(
                f"experiments: {path}: labels '{each['labels']}' {error}"
            ) from None
        arms.append(Arm(each["template"], each["labels"], each["position"], each["outcome"]))
    for place, arm in enumerate(arms):
        if arm in arms[:place]:
            raise UnknownExperiment(
                f"experiments: {path} has the arm '{arm.words}' of prompt '{arm.template}' twice; "
                "ask several times with repeats"
            )
    return tuple(arms)


def read_generations(path: Path, content: Mapping[str, Any]) -> tuple[Generation, ...]:
    """Return the arms of an experiment that has questions answered.

    Args:
        path: The experiment's file.
        content: What it holds.

    Raises:
        UnknownExperiment: A prompt is lacking, or something is asked twice.
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


def read_retrieval(
    path: Path, table: Mapping[str, Any], arms: Sequence[Generation]
) -> RetrievalSettings:
    """Return where an experiment takes documents from.

    Args:
        path: The experiment's file.
        table: Its `[retrieval]`.
        arms: The ways in which it has questions answered.

    Raises:
        UnknownExperiment: No arm shows documents, or a key is lacking or is another retriever's.
    """
    if all(arm.retrieval == NOTHING for arm in arms):
        raise UnknownExperiment(
            f"experiments: {path} has a [retrieval], and no arm shows documents; add "
            'answers.retrieval = ["vanilla"], or leave [retrieval] out'
        )
    found = RetrievalSettings(**{**table, **_typed(table)})
    for retriever, key in NEEDS.items():
        if (getattr(found, key) is not None) != (found.retriever == retriever):
            wrong = f"lacks the key 'retrieval.{key}'"
            if found.retriever != retriever:
                wrong = f"has the key 'retrieval.{key}', which is for retriever = \"{retriever}\""
            raise UnknownExperiment(
                f"experiments: {path} takes documents from '{found.retriever}' and {wrong}; make "
                "the two agree"
            )
    return found


def _typed(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return what TOML has another type for."""
    typed: dict[str, Any] = {}
    if "domains" in table:
        typed["domains"] = tuple(table["domains"])
    if "page_timeout_s" in table:
        typed["page_timeout_s"] = float(table["page_timeout_s"])
    return typed
