"""Whether models keep their places, whether people agree, and what answers say beyond the data."""

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import estimate_in, interval_in, plural
from dashboard.core.panels import Panel, missing
from dashboard.core.tables import band, formed, listing, percent_of
from dashboard.core.words import prompt_name
from dashboard.questions.findings import known
from dashboard.questions.labels import condition_name, wording_name
from dashboard.questions.trust import findings as words
from dashboard.questions.trust.labels import (
    MEASURES,
    MISSING,
    STABILITY,
    TASKS,
    metric_name,
    place_name,
)
from dashboard.questions.trust.panels import ROWS_DRAWN, TALL, printed_panel, ranked

ANOTHER = "rostrum run perspective-diversity --judge local/ANOTHER"
ASK = "rostrum run missing-viewpoints --judge PROVIDER/MODEL"
LABELS = (
    "rostrum import labels.jsonl --format dispute-labels\n"
    "rostrum import preferences.jsonl --format preferences"
)


def stability(answer: Answer) -> None:
    """Show whether models keep their places by another evaluator or another wording."""
    st.caption(STABILITY.line)
    rows = answer.rows
    if not rows:
        missing(
            "No two evaluators and no two wordings have scored the same models. Run another:",
            ANOTHER,
        )
        return
    st.markdown(words.stability_finding(rows))
    there = known(rows, "kendall")
    several = len({row["condition_id"] for row in rows}) > 1
    if there:
        drawn = there[:ROWS_DRAWN]
        if len(drawn) < len(there):
            st.info(f"The chart shows the {len(drawn)} least alike of {len(there)} pairs.")
        ranked(
            [
                (
                    _pair(row, several=several),
                    "another " + str(row["comparison"]),
                    row["kendall"],
                    row["kendall_low"],
                    row["kendall_high"],
                    f"τ {estimate_in(row, 'kendall')}, {plural(int(row['n_models']), 'model')}",
                )
                for row in drawn
            ],
            ("another evaluator", "another wording"),
            axis="Kendall's τ of the two orders of models (right = the same order)",
            title=f"{sum(row['kendall'] > 0 for row in there)} of {plural(len(there), 'pair')} of "
            "orders agree more than they disagree",
            note="Dashed: no relation. Lines: 95 % of resamples of the questions.",
        )
    listing(
        rows,
        {
            "metric": lambda row: metric_name(row["metric"]),
            "differs": "comparison",
            "first": lambda row: (
                f"{row['evaluator_a']}, {wording_name(row['evaluator_template_a'])}"
            ),
            "second": lambda row: (
                f"{row['evaluator_b']}, {wording_name(row['evaluator_template_b'])}"
            ),
            "τ": formed("kendall"),
            "95 %": band("kendall"),
            "models": "n_models",
            "questions": "n_questions",
            "models asked": condition_name,
            "why unknown": "reason",
        },
        raw=answer,
        name="backbone_stability",
        tall=TALL,
    )


def _pair(row: Row, *, several: bool) -> str:
    name = words.pair_name(row)
    return f"{name}, {prompt_name(row['template'])}" if several else name


people = Panel(
    "annotation_agreement",
    {
        "what": lambda row: TASKS.get(row["task"], row["task"]),
        "measure": lambda row: MEASURES.get(row["measure"], row["measure"]),
        "agreement": lambda row: estimate_in(row, "estimate"),
        "people": "n_annotators",
        "questions": "n_questions",
        "answers or pairs of rankings": "n_items",
        "left out": "excluded_count",
        "undefined": "n_undefined",
        "why unknown": "reason",
    },
    line="1 is perfect agreement, 0 that of chance. A metric can hardly do better.",
    empty="No labels or choices of people are loaded here. Import some:",
    command=LABELS,
    tall=TALL,
)
printed_people = printed_panel(
    "people",
    {
        "what": "metric",
        "measure": lambda row: MEASURES.get(row["statistic"], row["statistic"]),
        "agreement": formed("value"),
        "where": lambda row: place_name(row["location"]),
        "note": "note",
    },
)
missing_viewpoints = Panel(
    "missing_viewpoints",
    {
        "model": "judge_id",
        "prompt": "template",
        "judge": "evaluator_id",
        "answers with more (%)": percent_of("missing_share"),
        "95 %": band("missing_share", 100),
        "mean score": formed("mean_score"),
        "scored": "n_scored",
        "answers": "n_answers",
        "questions": "n_questions",
        "why unknown": "reason",
    },
    line=MISSING,
    empty="No judge has looked for such viewpoints here. Ask one:",
    command=ASK,
    tall=TALL,
)
printed_missing_viewpoints = printed_panel(
    "missing_viewpoints",
    {
        "model": "model",
        "judge": "evaluator",
        "answers with more (%)": percent_of("value"),
        "95 %": lambda row: interval_in(row, "value", 100),
        "answers": "n",
        "where": lambda row: place_name(row["location"]),
    },
)
