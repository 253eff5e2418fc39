"""How a set of debatable questions was made: what fell, how good it is, how it is distributed."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.charts import estimates, point
from dashboard.core.choices import choose_dataset, choose_tab
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    code_span,
    count,
    estimate,
    interval,
    is_missing,
    joined,
    number,
    percent,
    plural,
    share_in,
)
from dashboard.core.panels import Panel
from dashboard.core.tables import estimate_of, listed, listing, share_of
from dashboard.core.widgets import draw_chart, figure, figure_row, table, unfolding
from dashboard.questions import curation_queries
from warehouse.reader import Version

CURATE = "rostrum curate FOLDER --model MODEL\nrostrum ingest curated --from FOLDER --dataset NAME"
VALUES_DRAWN = 15
_TALL = 12
# Of a table, so that the funnel is seen to its end.
_ROW_HEIGHT = 35
_UNITS = {
    "question": "questions",
    "page": "pages from the web",
    "document": "documents of questions",
    "partial_answer": "partial answers",
}
# What is examined: its name, what is counted, and what it means.
_EXAMINED = {
    "relevance": (
        "Relevance of documents",
        "chunk",
        "document_relevance_mean_similarity",
    ),
    "coverage": (
        "Coverage by points of view",
        "chunk",
        "covered_share",
    ),
    "distinctness": (
        "Distinct points of view",
        "pair",
        "distinct_share",
    ),
    "annotation": (
        "Let pass by people",
        "partial answer",
        "passed_share",
    ),
}
_TASKS = {
    "grounded": "follows from the documents (task 1)",
    "addressing": "answers the question (task 2)",
    "ethical": "keeps to morals and ethics",
    "faultless": "all three",
}
_QUANTITIES = {
    "perspectives_per_question": "perspectives",
    "documents_per_question": "documents",
    "top_level_domain": "top-level domains",
    "domain": "subjects",
    "origin": "sources",
    "chunk_similarity": "relevance",
}
_OF = {"top_level_domain": "document", "chunk_similarity": "chunk"}


def curation(page: str, version: Version) -> list[tuple[str, Answer]]:
    """Show how a data set was made, and return the queries behind it."""
    st.caption(
        "A set of questions is made by rules, models and people. Every rule says what it removed, "
        "and people say what the rest is worth."
    )
    datasets = curation_queries.datasets(version)
    if datasets.frame.empty:
        st.markdown("**No questions are loaded.** Make a set of your own, and load it:")
        st.code(CURATE, language="shell")
        return []
    dataset, _ = choose_dataset(page, datasets.frame, name="set", label="Set of questions")
    funnel = curation_queries.funnel(version, dataset)
    distributions = curation_queries.distributions(version, dataset)
    answers = [("Curation", funnel), ("Distributions", distributions)]
    if funnel.frame.empty:
        st.markdown(
            "This set came whole: what was removed while it was made, and what people said of it, "
            "is not known here. A set of your own brings both:"
        )
        st.code(CURATE, language="shell")
    else:
        removals = curation_queries.removals(version, dataset)
        quality = curation_queries.quality(version, dataset)
        annotation = curation_queries.annotation(version, dataset)
        _funnel(funnel)
        fell = removals.rows
        unfolding(f"What fell, and why ({count(len(fell))})", _removals, fell, removals)
        _quality(quality.rows)
        _annotation.show(annotation)
        answers += [("Removed", removals), ("Quality", quality), ("Annotation", annotation)]
    _distributions(page, distributions)
    return answers


def _funnel(answer: Answer) -> None:
    rows = answer.rows
    waiting = [row["step"] for row in rows if row["reason"] == "the step has not been done"]
    if waiting:
        st.info(
            f"Not done yet: {', '.join(_plain(step) for step in waiting)}. The questions are "
            "loaded once people have annotated them."
        )
    rules = [row for row in rows if not is_missing(row["rule"])]
    table(
        listed(
            rules,
            {
                "step": lambda row: _plain(row["step"]),
                "of": lambda row: _UNITS.get(row["unit"], row["unit"]),
                "rule": lambda row: _plain(row["rule"]),
                "before": "n_before",
                "removed": lambda row: _if(row, "removes"),
                "left": "n_after",
                "noted of": lambda row: _if(row, "notes"),
                "left in the paper": "published_after",
            },
        ),
        raw=answer,
        name="curation_funnel",
        height=_ROW_HEIGHT * (len(rules) + 1) + 3,
    )


def _if(row: Row, effect: str) -> int | None:
    return row["n_affected"] if row["effect"] == effect else None


def _removals(rows: Sequence[Row], answer: Answer) -> None:
    if not rows:
        st.markdown("Nothing was removed.")
        return
    listing(
        rows,
        {
            "of": lambda row: _UNITS.get(row["unit"], row["unit"]),
            "rule": lambda row: _plain(row["rule"]),
            "which": "item_id",
            "text": "text",
            "why": "detail",
            "because of": "because_of",
        },
        raw=answer,
        name="curation_removals",
        tall=(_TALL, 380),
    )


def _quality(rows: Sequence[Row]) -> None:
    by_name = {row["examination"]: row for row in rows}
    with figure_row():
        for name, (label, unit, measure) in _EXAMINED.items():
            row = by_name.get(name)
            if row is None or is_missing(row["value"]):
                why = "nobody has annotated them" if row is None else str(row["reason"])
                figure(label, "–", f"unknown: {why}", meaning(measure))
                continue
            is_mean = name == "relevance"
            band = interval(row["low"], row["high"], 1 if is_mean else 100)
            parts = [band, plural(int(row["n"]), unit), plural(int(row["n_questions"]), "question")]
            if row["left_out_count"]:
                parts.append(f"{count(row['left_out_count'])} not looked at")
            if not is_missing(row["embedder"]):
                parts.append(f"by {code_span(row['embedder'])}")
            if not is_missing(row["published_value"]):
                shown = number if is_mean else percent
                parts.append(f"the paper: {shown(row['published_value'])}")
            value = number(row["value"]) if is_mean else percent(row["value"])
            figure(label, value, joined(parts), meaning(measure))


_annotation = Panel(
    "curation_annotation",
    {
        "a partial answer": lambda row: _TASKS.get(row["task"], row["task"]),
        "annotators": "n_annotators",
        "annotated": "n_partial_answers",
        "removed": "removed_count",
        "passed": share_of("passed_share"),
        "Fleiss' κ": estimate_of("kappa"),
        "κ in the paper": "published_kappa",
        "why unknown": "kappa_reason",
    },
    may_be_absent=True,
    tall=None,
)


def _distributions(page: str, answer: Answer) -> None:
    rows = answer.rows
    there = {
        name: label
        for name, label in _QUANTITIES.items()
        if any(row["quantity"] == name and row["value"] != "unknown" for row in rows)
    }
    if not there:
        st.markdown("No question of this set is loaded yet, so there is nothing to count.")
        return
    quantity = choose_tab(page, "spread", "What is distributed", there)
    shown = [row for row in rows if row["quantity"] == quantity]
    drawn = shown[:VALUES_DRAWN]
    if len(drawn) < len(shown):
        st.info(f"The chart shows {len(drawn)} of {len(shown)} values; the download has all.")
    unit = _OF.get(quantity, "question")
    first = shown[0]
    mean = (
        ""
        if is_missing(first["mean_value"])
        else f"Mean {estimate(first['mean_value'], first['mean_low'], first['mean_high'])}. "
    )
    draw_chart(
        estimates,
        [
            {
                "label": _value(row),
                "which": "share",
                **point(row, "share", 100),
                "hover": f"{share_in(row, 'share')}, {count(row['n'])} of {count(row['n_total'])}",
            }
            for row in drawn
        ],
        kinds=["share"],
        axis=f"% of {unit}s",
        title=f"{there[quantity].capitalize()} of {plural(int(first['n_total']), unit)}",
        note=f"{mean}Lines: 95 % intervals over {plural(int(first['n_questions']), 'question')}.",
    )
    table(
        pd.DataFrame(
            {
                there[quantity]: [_value(row) for row in shown],
                f"{unit}s": [row["n"] for row in shown],
                "share": [share_in(row, "share") for row in shown],
            }
        ),
        raw=answer,
        name="curation_distributions",
        height=380 if len(shown) > _TALL else None,
    )


def _value(row: Row) -> str:
    value = str(row["value"])
    return f"from {value}" if row["quantity"] == "chunk_similarity" else value


def _plain(name: str) -> str:
    return str(name).replace("_", " ")
