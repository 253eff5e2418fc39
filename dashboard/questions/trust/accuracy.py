"""How well a judge of D.A. tells what people find, against the majority label."""

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import is_missing, number
from dashboard.core.panels import missing
from dashboard.core.tables import band, formed, listing, percent_of
from dashboard.debates.labels import effect_in
from dashboard.questions.findings import known
from dashboard.questions.labels import wording_name
from dashboard.questions.trust import findings as words
from dashboard.questions.trust.labels import ACCURACY, place_name, printed_by
from dashboard.questions.trust.panels import (
    HERE,
    PRINTED,
    ROWS_DRAWN,
    TALL,
    beside_printed,
    printed_panel,
)

LABEL_DISPUTES = "rostrum import labels.jsonl --format dispute-labels"


def accuracy(answer: Answer, published: Answer) -> None:
    """Show how well judges of D.A. tell what people find, against the majority label."""
    st.caption(ACCURACY.line)
    rows = answer.rows
    printed = published.rows
    judged = known(rows, "gain_points")
    for row in rows:
        if text := words.accuracy_bounds(row):
            st.caption(text)
    if judged:
        drawn = judged[:ROWS_DRAWN]
        beside_printed(
            [
                (
                    f"{row['evaluator_id']}\n{wording_name(row['evaluator_template'])}",
                    HERE,
                    row["gain_points"],
                    row["gain_points_low"],
                    row["gain_points_high"],
                    f"{effect_in(row, 'gain')}; accuracy {words.accuracy_text(row)}",
                )
                for row in drawn
            ],
            [
                (
                    printed_by(row),
                    PRINTED,
                    row["gain_points"],
                    None,
                    None,
                    f"{number(row['gain_points'])} pp",
                )
                for row in printed
                if row["metric"] != "always 1"
            ],
            axis="accuracy less that of the majority label, percentage points (right = better)",
            title=words.gain_title(drawn),
            zero="majority label for every answer",
        )
    else:
        missing(
            "No labels of people are loaded for answers that a judge has judged. Import some:",
            LABEL_DISPUTES,
        )
    if rows:
        listing(
            rows,
            {
                "judge": "evaluator_id",
                "prompt": "evaluator_template",
                "accuracy (%)": percent_of("accuracy"),
                "95 %": band("accuracy", 100),
                "majority label (%)": percent_of("baseline_accuracy"),
                "gain": lambda row: effect_in(row, "gain"),
                "F1": formed("f1"),
                "F1 of always 1": formed("baseline_f1"),
                "balanced accuracy": formed("auroc"),
                "MCC": formed("mcc"),
                "answers": "n_answers",
                "labelled 1": "positive_count",
                "failed": "failed_count",
                "as released (%)": percent_of("accuracy_released"),
                "why unknown": _reasons,
            },
            raw=answer,
            name="dispute_accuracy",
            tall=TALL,
        )


def _reasons(row: Row) -> str | None:
    parts = [
        str(row[name])
        for name in ("reason", "auroc_reason", "mcc_reason")
        if not is_missing(row[name])
    ]
    return "; ".join(dict.fromkeys(parts)) or None


printed_accuracy = printed_panel(
    "dispute_accuracy",
    {
        "metric": "metric",
        "model behind it": "evaluator",
        "accuracy (%)": percent_of("accuracy"),
        "against always 1 (pp)": formed("gain_points"),
        "F1": formed("f1"),
        "balanced accuracy": formed("auroc"),
        "MCC": formed("mcc"),
        "answers": "n",
        "where": lambda row: place_name(row["location"]),
        "note": "note",
    },
)
