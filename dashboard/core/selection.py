"""Which data set, question, prompt and judges a page shows. Two pages ask the same way."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from dashboard.core.choices import asked_for, choose_dataset, choose_many, choose_one, filter_row
from dashboard.core.data import View
from dashboard.core.labels import plural, template_name
from dashboard.core.words import DIMENSIONS, worded

ALL_TEMPLATES = "all"
MIN_SHARED = ("50", "20", "100")
# Depends on the data set, so a change of data set forgets them.
_WITHIN_DATASET = ("dimension", "template", "judge", "item", "answer")


@dataclass(frozen=True)
class Selection:
    """What was selected.

    Attributes:
        view: For the queries.
        question: What was asked about each speech.
    """

    view: View
    question: str
    is_sample: bool
    scale: tuple[float, float]


def select(page: str, choices: pd.DataFrame, *, in_detail: bool) -> Selection:
    """Show the selection and return it.

    Args:
        in_detail: Also offer judges and the least number of shared speeches.
    """
    boxes, more = filter_row(page, [4, 3, 3, 4] if in_detail else [4, 3, 4], is_more=in_detail)
    with boxes[0]:
        dataset, is_sample = choose_dataset(page, choices, then_forget=_WITHIN_DATASET)
    rows = choices[choices["dataset_id"] == dataset]
    with boxes[1]:
        dimension = choose_one(
            page,
            "dimension",
            "Question",
            {one: worded(one, DIMENSIONS) for one in rows["dimension"]},
            explain="What people and judges answered about each speech.",
            then_forget=("item", "answer"),
        )
    rows = rows[rows["dimension"] == dimension]
    first: dict[str, Any] = rows.iloc[0].to_dict()
    prompts = rows[rows["template"].notna()]
    with boxes[2]:
        templates = _templates(page, prompts)
    judges: tuple[str, ...] = ()
    min_shared = int(MIN_SHARED[0])
    if in_detail:
        with more:
            min_shared = int(
                choose_one(
                    page,
                    "shared",
                    "Shared speeches",
                    {one: f"at least {one}" for one in MIN_SHARED},
                    explain=(
                        "A pair of people counts for kappa when they scored at least this many "
                        "speeches in common. The paper uses 50."
                    ),
                )
            )
    offered = sorted(
        {
            judge
            for template, ids in zip(prompts["template"], prompts["judge_ids"], strict=True)
            if template in templates
            for judge in ids
        }
    )
    if in_detail:
        with boxes[3]:
            judges = choose_many(
                page,
                "judge",
                "Judges",
                offered,
                everything=(
                    f"All {plural(len(offered), 'judge')}"
                    if offered
                    else "No judge has scored these speeches yet"
                ),
                explain="People are always shown beside them.",
            )
    else:
        judges = tuple(offered)
    return Selection(
        View(dataset, dimension, templates, judges, min_shared),
        question=str(first["question"]),
        is_sample=is_sample,
        scale=(float(first["scale_min"]), float(first["scale_max"])),
    )


def _templates(page: str, prompts: pd.DataFrame) -> tuple[str, ...]:
    """Let the reader choose a prompt; the default is the one most judges answered."""
    names = {
        row["template"]: template_name(row["template"], row["is_justified"], row["wording"])
        for row in prompts.to_dict("records")
    }
    if not names:
        asked_for("template", ())
        return ()
    every = {ALL_TEMPLATES: f"all {len(names)} prompts, each apart"} if len(names) > 1 else {}
    chosen = choose_one(
        page,
        "template",
        "Prompt",
        names | every,
        explain="Answers to different prompts are never pooled.",
        then_forget=("item", "answer"),
    )
    return tuple(names) if chosen == ALL_TEMPLATES else (chosen,)
