"""The papers' models, ready to be added as judges: `judge_presets.csv`.

Names, families and sizes are the papers' own; the id says where the model is most easily had, and
may be given otherwise (the weights behind an OpenAI-compatible endpoint, say).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import UnknownJudge

SHIPPED = Path(__file__).parent / "judge_presets.csv"


class JudgePreset(NamedTuple):
    """One model of the papers.

    Attributes:
        name: What it is called here.
        papers: The papers that used it.
        model: What they call it.
        judge_id: The judge it is added as.
        family: Its family.
        size_b_params: Billions of parameters, where its makers say.
        settings: What its papers set besides the experiment's decoding.
    """

    name: str
    papers: tuple[str, ...]
    model: str
    judge_id: str
    family: str
    size_b_params: float | None
    settings: dict[str, Any]


def judge_presets() -> dict[str, JudgePreset]:
    """Return the presets by name."""
    with SHIPPED.open(encoding="utf-8", newline="") as file:
        return {
            row["preset"]: JudgePreset(
                name=row["preset"],
                papers=tuple(row["papers"].split()),
                model=row["model"],
                judge_id=row["judge_id"],
                family=row["family"],
                size_b_params=float(row["size_b_params"]) if row["size_b_params"] else None,
                settings={"quantization": row["quantization"]} if row["quantization"] else {},
            )
            for row in csv.DictReader(file)
        }


def judge_preset(name: str) -> JudgePreset:
    """Return a preset.

    Raises:
        UnknownJudge: There is none of this name.
    """
    presets = judge_presets()
    if name not in presets:
        raise UnknownJudge(
            f"registry: no preset is called '{name}'; there are {', '.join(presets)} (rostrum "
            "judges presets)"
        )
    return presets[name]
