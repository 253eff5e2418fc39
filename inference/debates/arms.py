"""The ways in which an experiment asks about debates, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from inference.debates.variants import OUTCOMES, POSITIONS, Arm, read_labels
from inference.errors import UnknownExperiment
from inference.value_rules import Rule, check, is_list_of, is_one_of, is_text

_LABELS = (is_text, "two labels with a slash between, Pro's first, such as A/B or random A/B")
ARM: Mapping[str, Rule] = {
    "labels": _LABELS,
    "position": is_one_of(POSITIONS),
    "outcome": is_one_of(OUTCOMES),
    "template": (is_text, "the name of a prompt"),
}
# What a grid takes where it does not say; labels and prompts must be said.
GRID: Mapping[str, list[str]] = {
    "labels": [],
    "outcome": ["winner"],
    "position": ["pro_first"],
    "template": [],
}
TABLES: Mapping[str, Mapping[str, Rule]] = {
    "variants": {name: is_list_of(rule) for name, rule in ARM.items()},
}


def read_arms(path: Path, content: Mapping[str, Any]) -> tuple[Arm, ...]:
    """Return the arms of an experiment about debates.

    Args:
        path: The experiment's file.
        content: What it holds.

    Raises:
        UnknownExperiment: Labels cannot be told apart, or something is lacking.
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
        factors = [
            grid.get(name, [content.get("template")] if name == "template" else default)
            for name, default in GRID.items()
        ]
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
    return tuple(arms)
