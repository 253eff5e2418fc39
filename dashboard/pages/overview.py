"""What is in the warehouse, which judges there are, and how well the best one ranks speeches."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core import queries
from dashboard.core.data import Answer
from dashboard.core.findings import records
from dashboard.core.labels import FAILURE, KAPPA, KINDS, TAU_C, UNPARSED, plural
from dashboard.core.selection import select
from dashboard.core.widgets import (
    ANY_SIZE,
    SAMPLE_NOTE,
    headline,
    how_computed,
    sample_badge,
    table,
)
from dashboard.runs import panels as run_panels
from dashboard.runs import queries as run_queries
from dashboard.runs.findings import run_finding
from dashboard.speeches import agreement, agreement_tables
from dashboard.speeches.findings import best, human_row, rank_finding
from warehouse.reader import Version

PAGE = "overview"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Overview")
    choices = queries.choices(version).frame
    if choices.empty:
        st.markdown("**The published warehouse holds no data set yet.** Load one:")
        st.code("rostrum ingest sample", language="shell")
        return
    chosen = select(PAGE, choices, in_detail=False)
    ranks = queries.rank_agreement(version, chosen.view)
    kappas = queries.rater_agreement(version, chosen.view)
    shares = queries.score_distribution(version, chosen.view)
    if chosen.is_sample:
        sample_badge()
    headline(rank_finding(ranks.frame, chosen.title, shares.frame))
    if chosen.is_sample:
        st.warning(f"Only sample data are selected. {SAMPLE_NOTE}")
    _figures(ranks.frame, kappas.frame)
    judges = queries.judges(version)
    if not chosen.view.judges:
        agreement.no_judges_yet()
    agreement.tau_c(version, ranks.frame, shares.frame)
    agreement_tables.tau_c_table(ranks)
    st.page_link(
        "pages/speech_judges.py",
        label="Look closer: score distributions, sources and single speeches",
        query_params={
            "dataset": chosen.view.dataset_id,
            "dimension": chosen.view.dimension,
        },
    )
    st.page_link("pages/why.py", label="Why judges score as they do: key points in their reasons")
    _data_sets(queries.datasets(version).frame)
    _judges(judges.frame)
    runs, totals, statuses = run_queries.everything(version)
    _health(runs, totals, statuses)
    _next_steps()
    how_computed(
        [TAU_C, KAPPA, FAILURE, UNPARSED],
        [
            ("Rank agreement", ranks),
            ("Rater agreement", kappas),
            ("Runs", runs),
            ("All of them together", totals),
        ],
    )


def _figures(ranks: pd.DataFrame, kappas: pd.DataFrame) -> None:
    lead, lead_kappa = best(ranks, "tau_c"), best(kappas, "mean_kappa")
    boxes = iter(st.columns(4))
    if lead:
        with next(boxes):
            agreement.tau_figure("Highest τ-c", lead)
    with next(boxes):
        agreement.tau_figure("One person: τ-c", human_row(ranks))
    if lead_kappa:
        with next(boxes):
            agreement.kappa_figure("Highest mean κ", lead_kappa)
    with next(boxes):
        agreement.kappa_figure("People: mean κ", human_row(kappas))


def _data_sets(datasets: pd.DataFrame) -> None:
    st.subheader("What is in the warehouse", anchor=False)
    table(
        pd.DataFrame(
            {
                "data set": datasets["title"],
                "kind": ["sample" if one else "real" for one in datasets["is_sample"]],
                "speeches": datasets["item_count"],
                "motions": datasets["debate_count"],
                "people who scored": datasets["annotator_count"],
                "human scores": datasets["rating_count"],
                "licence": datasets["licence"],
                "citation": datasets["citation"],
                "id": datasets["dataset_id"],
            }
        )
    )


def _judges(judges: pd.DataFrame) -> None:
    st.subheader(f"{plural(len(judges), 'judge')}", anchor=False)
    if judges.empty:
        return
    table(
        pd.DataFrame(
            {
                "judge": judges["judge_id"],
                "what it is": [KINDS.get(kind, kind) for kind in judges["judge_kind"]],
                "family": judges["family"],
                "size (billion parameters)": judges["size_b_params"],
                "members": judges["members"],
            }
        ),
        formats={"size (billion parameters)": ANY_SIZE},
    )


def _health(runs: Answer, totals: Answer, statuses: Answer) -> None:
    st.subheader("Did the runs work?", anchor=False)
    if runs.frame.empty:
        st.markdown("No judge has been run or imported yet. See the judges, then run one:")
        st.code("rostrum judges\nrostrum run speech-score --judge JUDGE", language="shell")
        return
    found = run_finding(records(totals.frame)[0], records(runs.frame), records(statuses.frame))
    st.markdown(" ".join(part for part in found if part))
    run_panels.run_table(runs)
    st.page_link("pages/runs.py", label="Look closer: failures with their texts, cost and speed")


def _next_steps() -> None:
    with st.expander("What to do next"):
        st.markdown("Load the released speeches with the scores of the people who rated them:")
        st.code("rostrum ingest speeches --from speeches.csv", language="shell")
        st.markdown("Ask a model, by any endpoint that speaks the OpenAI protocol:")
        st.code(
            "rostrum run speech-score --judge openai/gpt-4.1-mini --limit 50",
            language="shell",
        )
        st.markdown("Bring scores made elsewhere:")
        st.code("rostrum import my_scores.jsonl", language="shell")


if __name__ == "__main__":
    draw(page)
