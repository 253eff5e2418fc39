"""Which data set, experiment, prompts and judges of verdicts a page shows; kept in the URL."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import streamlit as st

from dashboard.core.choices import choose_dataset, choose_judges, choose_one, filter_row
from dashboard.core.labels import HUMAN
from dashboard.core.widgets import next_steps
from dashboard.core.words import EXPERIMENTS, PROMPTS, worded
from dashboard.debates.queries import Bench

ALL = "all"
# A cell, a debate and an answer belong to what was chosen when they were opened.
OPENED = ("cell", "by", "with", "a", "b", "debate", "answer")
RUN_ONE = "rostrum run debate-winner --judge JUDGE"
_WITHIN_DATASET = ("experiment", "template", "outcome", "judge", "row", *OPENED)


class Chosen(NamedTuple):
    """What was chosen, and what to say of it.

    Attributes:
        bench: For the queries.
        is_published: Whether its rows are a paper's printed figures.
        several: Which of `template` and `outcome` differ in view.
    """

    bench: Bench
    is_sample: bool
    is_published: bool
    several: dict[str, bool]


def select(page: str, choices: pd.DataFrame, *, one_judge: bool = False) -> Chosen:
    """Show the selection and return it.

    Args:
        one_judge: Choose a single judge instead of several.
    """
    asked = st.query_params.get("judge")
    if one_judge and asked in set(choices["judge_id"]):
        # What the URL does not say follows the judge it names, so that the first view has its data.
        choices = choices.sort_values("judge_id", key=lambda judges: judges != asked, kind="stable")
    boxes, more = filter_row(page, [4, 3, 3, 4], is_more=True)
    with boxes[0]:
        dataset, is_sample = choose_dataset(page, choices, then_forget=_WITHIN_DATASET)
    rows = choices[choices["dataset_id"] == dataset]
    with boxes[1]:
        experiment = choose_one(
            page,
            "experiment",
            "Experiment",
            {
                one: "people as judges" if one == HUMAN else worded(one, EXPERIMENTS)
                for one in rows["experiment"]
            },
            explain="All tests of one experiment are corrected together.",
            then_forget=_WITHIN_DATASET[1:],
        )
    rows = rows[rows["experiment"] == experiment]
    with boxes[2]:
        prompts = list(dict.fromkeys(rows["template"]))
        templates = _some(page, "template", "Prompt", prompts, words=PROMPTS)
    rows = rows[[one in templates for one in rows["template"]]]
    with more:
        outcomes = _some(page, "outcome", "Asked for", list(dict.fromkeys(rows["outcome"])))
    rows = rows[[one in outcomes for one in rows["outcome"]]]
    offered = sorted(set(rows["judge_id"]))
    with boxes[3]:
        if one_judge:
            judges: tuple[str, ...] = (
                choose_one(page, "judge", "Judge", offered, then_forget=("row", *OPENED)),
            )
        else:
            judges = choose_judges(page, offered)
    first = rows.iloc[0]
    return Chosen(
        Bench(str(first["dataset_id"]), experiment, judges, templates, outcomes),
        is_sample=is_sample,
        is_published=bool(first["is_published"]),
        several={"template": len(templates) > 1, "outcome": len(outcomes) > 1},
    )


def _some(
    page: str, name: str, label: str, options: list[str], *, words: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Let the reader choose one option or all of them, each apart."""
    every = {ALL: f"all {len(options)}, each apart"} if len(options) > 1 else {}
    chosen = choose_one(
        page,
        name,
        label,
        {one: worded(one, words or {}) for one in options} | every,
        explain="Verdicts asked for in different ways are never pooled.",
        then_forget=("row", *OPENED),
    )
    return tuple(options) if chosen == ALL else (chosen,)


def nothing_judged(what: str) -> None:
    """Say what to run when no judge has named a winner yet."""
    sentence = (
        f"**No judge has named the winner of a debate yet.** Then this page shows {what}. See "
        "which judges there are, then run one:"
    )
    next_steps((sentence, f"rostrum judges\n{RUN_ONE}"), demo="judges")
