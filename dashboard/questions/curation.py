"""How a set of debatable questions was made: what fell, how good it is, how it is distributed."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.labels import (
    code_span,
    count,
    estimate,
    interval,
    is_missing,
    number,
    percent,
    plural,
    share,
)
from dashboard.core.widgets import choose_one, choose_tab, draw_chart, figure, table
from dashboard.questions import curation_queries
from dashboard.questions.labels import CURATION
from dashboard.questions.trust import charts as trust_charts
from dashboard.speeches.findings import Row, records
from warehouse.reader import Version

CURATE = (
    "rostrum curate FOLDER --model MODEL\n"
    "rostrum ingest curated --from FOLDER --set dataset=NAME\nrostrum build"
)
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
        "Mean cosine of the documents' chunks with their question. It compares within one embedder "
        "only; the paper's is another than most.",
    ),
    "coverage": (
        "Coverage by points of view",
        "chunk",
        "Of the chunks nearest to their question that people looked at, the share whose every side "
        "is among the points of view.",
    ),
    "distinctness": (
        "Distinct points of view",
        "pair",
        "Share of pairs of points of view of one question whose cosine is under the threshold, "
        "0.75 unless set.",
    ),
    "annotation": (
        "Let pass by people",
        "partial answer",
        "Share of partial answers with which most annotators found no fault.",
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
    """Show how a data set was made, and return the queries behind it.

    Args:
        page: Prefix of the state's keys.
        version: Where to read.
    """
    st.caption(CURATION.line)
    datasets = curation_queries.datasets(version)
    if datasets.frame.empty:
        st.markdown("**No questions are loaded.** Make a set of your own, and load it:")
        st.code(CURATE, language="shell")
        return []
    titles = dict(zip(datasets.frame["dataset_id"], datasets.frame["title"], strict=True))
    samples = set(datasets.frame[datasets.frame["is_sample"]]["dataset_id"])
    dataset = choose_one(
        page,
        "set",
        "Set of questions",
        list(titles),
        show=lambda one: titles[one] + (" (sample)" if one in samples else ""),
    )
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
        _removals(removals)
        _quality(records(quality.frame))
        _annotation(annotation)
        answers += [("Removed", removals), ("Quality", quality), ("Annotation", annotation)]
    _distributions(page, distributions)
    return answers


def _funnel(answer: Answer) -> None:
    rows = records(answer.frame)
    waiting = [row["step"] for row in rows if row["reason"] == "the step has not been done"]
    if waiting:
        st.info(
            f"Not done yet: {', '.join(_plain(step) for step in waiting)}. The questions are "
            "loaded once people have annotated them."
        )
    rules = [row for row in rows if not is_missing(row["rule"])]
    table(
        pd.DataFrame(
            {
                "step": [_plain(row["step"]) for row in rules],
                "of": [_UNITS.get(row["unit"], row["unit"]) for row in rules],
                "rule": [_plain(row["rule"]) for row in rules],
                "before": [row["n_before"] for row in rules],
                "removed": [_if(row, "removes") for row in rules],
                "left": [row["n_after"] for row in rules],
                "noted of": [_if(row, "notes") for row in rules],
                "left in the paper": [row["published_after"] for row in rules],
            }
        ),
        raw=answer,
        name="curation_funnel",
        height=_ROW_HEIGHT * (len(rules) + 1) + 3,
    )


def _if(row: Row, effect: str) -> int | None:
    return row["n_affected"] if row["effect"] == effect else None


def _removals(answer: Answer) -> None:
    rows = records(answer.frame)
    with st.expander(f"What fell, and why ({count(len(rows))})"):
        if not rows:
            st.markdown("Nothing was removed.")
            return
        table(
            pd.DataFrame(
                {
                    "of": [_UNITS.get(row["unit"], row["unit"]) for row in rows],
                    "rule": [_plain(row["rule"]) for row in rows],
                    "which": [row["item_id"] for row in rows],
                    "text": [row["text"] for row in rows],
                    "why": [row["detail"] for row in rows],
                    "because of": [row["because_of"] for row in rows],
                }
            ),
            raw=answer,
            name="curation_removals",
            height=380 if len(rows) > _TALL else None,
        )


def _quality(rows: Sequence[Row]) -> None:
    by_name = {row["examination"]: row for row in rows}
    for box, (name, (label, unit, explain)) in zip(st.columns(4), _EXAMINED.items(), strict=True):
        row = by_name.get(name)
        with box:
            if row is None or is_missing(row["value"]):
                why = "nobody has annotated them" if row is None else str(row["reason"])
                figure(label, "–", f"unknown: {why}", explain)
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
            figure(label, value, " · ".join(part for part in parts if part), explain)


def _annotation(answer: Answer) -> None:
    rows = records(answer.frame)
    if not rows:
        return
    table(
        pd.DataFrame(
            {
                "a partial answer": [_TASKS.get(row["task"], row["task"]) for row in rows],
                "annotators": [row["n_annotators"] for row in rows],
                "annotated": [row["n_partial_answers"] for row in rows],
                "removed": [row["removed_count"] for row in rows],
                "passed": [
                    share(row["passed_share"], row["passed_share_low"], row["passed_share_high"])
                    for row in rows
                ],
                "Fleiss' κ": [
                    None
                    if is_missing(row["kappa"])
                    else estimate(row["kappa"], row["kappa_low"], row["kappa_high"])
                    for row in rows
                ],
                "κ in the paper": [row["published_kappa"] for row in rows],
                "why unknown": [row["kappa_reason"] for row in rows],
            }
        ),
        raw=answer,
        name="curation_annotation",
    )


def _distributions(page: str, answer: Answer) -> None:
    rows = records(answer.frame)
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
        trust_charts.ranked,
        pd.DataFrame(
            {
                "label": [_value(row) for row in drawn],
                "kind": "share",
                "value": [100 * row["share"] for row in drawn],
                "low": [_percent(row["share_low"]) for row in drawn],
                "high": [_percent(row["share_high"]) for row in drawn],
                "hover": [
                    f"{share(row['share'], row['share_low'], row['share_high'])}, "
                    f"{count(row['n'])} of {count(row['n_total'])}"
                    for row in drawn
                ],
            }
        ),
        ["share"],
        axis=f"% of {unit}s",
        title=f"{there[quantity].capitalize()} of {plural(int(first['n_total']), unit)}",
        note=f"{mean}Lines: 95 % intervals over {plural(int(first['n_questions']), 'question')}.",
    )
    table(
        pd.DataFrame(
            {
                there[quantity]: [_value(row) for row in shown],
                f"{unit}s": [row["n"] for row in shown],
                "share": [
                    share(row["share"], row["share_low"], row["share_high"]) for row in shown
                ],
            }
        ),
        raw=answer,
        name="curation_distributions",
        height=380 if len(shown) > _TALL else None,
    )


def _value(row: Row) -> str:
    value = str(row["value"])
    return f"from {value}" if row["quantity"] == "chunk_similarity" else value


def _percent(value: float | None) -> float | None:
    return None if is_missing(value) or value is None else 100 * value


def _plain(name: str) -> str:
    return str(name).replace("_", " ")
