"""Which data set, way of asking and evaluators the page shows; kept in the URL."""

from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from dashboard.core.choices import asked_for, change_url, choose_one, filter_row
from dashboard.core.findings import Row, records
from dashboard.core.glossary import meaning
from dashboard.core.widgets import next_steps
from dashboard.questions.labels import (
    AWARENESS,
    DIVERSITY,
    PD,
    WEIGHTED,
    condition_name,
    evaluator_name,
)
from dashboard.questions.queries import Field

PRINTED_PREFIX = "published:"
# A question and the answers read beside it belong to what was chosen when they were opened.
OPENED = ("question", "first", "second")
GROUNDS = {
    "shared": "questions all models have a score on",
    "each": "each model's own questions",
}
WEIGHTS = tuple(f"{step / 20:.2f}" for step in range(21))
EQUAL_WEIGHTS = "0.50"
LOAD = "rostrum ingest debateqa --from test.jsonl"
ASK = "rostrum judges\nrostrum run debatable-answers --judge MODEL"
EVALUATE = (
    "rostrum run perspective-diversity --judge local/EVALUATOR\n"
    "rostrum run dispute-awareness --judge JUDGE"
)


class Chosen(NamedTuple):
    """What was chosen, and what to say of it.

    Attributes:
        field: For the queries.
        k: How much P.D. counts beside D.A.
    """

    field: Field
    is_sample: bool
    k: float


def select(page: str, choices: pd.DataFrame) -> Chosen:
    """Show the selection and return it."""
    boxes, more = filter_row(page, [3, 4, 3, 3], is_more=True)
    with boxes[0]:
        rows = _dataset(page, choices)
    conditions = {row["condition_id"]: row for row in records(rows)[::-1]}
    with boxes[1]:
        condition = choose_one(
            page,
            "condition",
            "Asked how",
            {one: condition_name(conditions[one]) for one in rows["condition_id"]},
            explain="Models are compared only with models asked alike.",
            then_forget=("pd", "da", *OPENED),
        )
    rows = rows[rows["condition_id"] == condition]
    first = conditions[condition]
    with boxes[2]:
        diverse = _evaluator(page, "pd", "Evaluator of P.D.", PD.line, rows, DIVERSITY)
    with boxes[3]:
        aware = _evaluator(
            page, "da", "Evaluator of D.A.", meaning("dispute_awareness"), rows, AWARENESS
        )
    # Printed scores do not say which questions they are over.
    ground = "each"
    if not first["is_published"]:
        with more:
            ground = choose_one(
                page,
                "ground",
                "Compared on",
                GROUNDS,
                explain=(
                    "A model that answered other questions than the rest differs from them for the "
                    "questions alone. The table says how many questions each score is over."
                ),
            )
    with more:
        k = _weight(page)
    return Chosen(
        Field(
            str(first["dataset_id"]),
            condition,
            bool(first["is_published"]),
            *diverse,
            *aware,
            ground,
        ),
        is_sample=bool(first["is_sample"]),
        k=k,
    )


def dataset_key(row: Row) -> str:
    """Return how the URL names a data set; printed scores are apart from one's own."""
    return f"{PRINTED_PREFIX if row['is_published'] else ''}{row['dataset_id']}"


def _dataset(page: str, choices: pd.DataFrame) -> pd.DataFrame:
    keys = [dataset_key(row) for row in records(choices)]
    titles = dict(zip(keys, choices["title"], strict=True))
    samples = {key for key, is_sample in zip(keys, choices["is_sample"], strict=True) if is_sample}

    for one in titles:
        printed = one.startswith(PRINTED_PREFIX)
        titles[one] += " (printed scores)" if printed else " (sample)" if one in samples else ""
    chosen = choose_one(
        page,
        "dataset",
        "Data set",
        titles,
        then_forget=("condition", "pd", "da", *OPENED),
    )
    return choices[[key == chosen for key in keys]]


def _evaluator(
    page: str, name: str, label: str, explain: str, rows: pd.DataFrame, metric: str
) -> tuple[str, str]:
    offered: dict[str, tuple[Any, Any]] = {
        f"{row['evaluator_id']}|{row['evaluator_template']}": (
            row["evaluator_id"],
            row["evaluator_template"],
        )
        for row in records(rows[rows["metric"] == metric])
    }
    if not offered:
        asked_for(name, ())
        st.caption(f"{label}: none has scored these answers yet.")
        return "", ""
    chosen = choose_one(
        page,
        name,
        label,
        {one: evaluator_name(*asked) for one, asked in offered.items()},
        explain=explain,
    )
    evaluator, template = offered[chosen]
    return str(evaluator), str(template)


def _weight(page: str) -> float:
    """Let the reader choose how much P.D. counts beside D.A.; the URL holds it."""
    key = f"{page}_k"
    st.session_state[key] = asked_for("k", WEIGHTS) or EQUAL_WEIGHTS
    chosen = st.select_slider(
        "k, the weight of P.D.; 1 − k is that of D.A.",
        WEIGHTS,
        key=key,
        help=WEIGHTED.definition,
        on_change=lambda: change_url({"k": st.session_state[key]}),
    )
    return float(chosen)


def nothing_answered() -> None:
    """Say what to run when no model's answers have been evaluated yet."""
    load = (
        "**No answer to a debatable question has been evaluated yet.** Load questions with their "
        "perspectives:"
    )
    ask = "See which models there are, ask one, then evaluate its answers:"
    next_steps((load, LOAD), (ask, f"{ASK}\n{EVALUATE}"), demo="models")
