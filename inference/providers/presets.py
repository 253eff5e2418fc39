"""The papers' models, ready to be added as judges: `presets.csv`.

Names and sizes are those the papers print, or of the speech paper's released configuration where
its text has none; a family is the speech paper's, else the name without its size. Of ids the papers
print two: `id_source` says what any other rests on. An id says where the model is most easily had,
and may be given otherwise (the weights behind an OpenAI-compatible endpoint, say).
"""

import csv
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import UnknownJudge

ID_SOURCES = {
    "printed": "the paper prints this id",
    "named": "the paper prints the name; the id is its makers' of that name",
    "tuned": "the paper prints the name; that the model is the one tuned for chat is assumed here",
    "dated": "the paper prints a name without a date; this release of that name is chosen here",
}
SHIPPED = Path(__file__).parent / "presets.csv"


class JudgePreset(NamedTuple):
    """One model of the papers.

    Attributes:
        judge_id: The judge it is added as.
        id_source: What that id rests on, one of `ID_SOURCES`.
        size_b_params: Billions of parameters, where the papers say.
        settings: What its papers set besides the experiment's decoding.
    """

    name: str
    papers: tuple[str, ...]
    model: str
    judge_id: str
    id_source: str
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
                id_source=row["id_source"],
                family=row["family"],
                size_b_params=float(row["size_b_params"]) if row["size_b_params"] else None,
                settings={"quantization": row["quantization"]} if row["quantization"] else {},
            )
            for row in csv.DictReader(file)
        }


def judge_preset(name: str) -> JudgePreset:
    """Return a preset."""
    presets = judge_presets()
    if name not in presets:
        raise UnknownJudge(
            f"registry: no preset is called '{name}'; there are {', '.join(presets)} (rostrum "
            "judges presets)"
        )
    return presets[name]
