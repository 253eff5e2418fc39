"""How well do judges score speeches, compared with the people who scored the same speeches?"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core import queries
from dashboard.core.chart_files import behind
from dashboard.core.choices import choose_tab
from dashboard.core.data import Answer
from dashboard.core.findings import records
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    DISTRIBUTION,
    KAPPA,
    SOURCES,
    TAU_C,
    UNPARSED,
    count,
    interval_in,
    number,
    percent,
    plural,
)
from dashboard.core.selection import Selection, select
from dashboard.core.series import looks
from dashboard.core.widgets import (
    ANY_SIZE,
    figure,
    figure_row,
    headline,
    how_computed,
    page_title,
    sample_badge,
    side_by_side,
    table,
    unfolding,
)
from dashboard.speeches import agreement, evidence, multiples
from dashboard.speeches.findings import best, human_row, kappa_finding
from dashboard.speeches.tabs import TABS
from dashboard.study.button import study_button
from warehouse.reader import Version

PAGE = "speech_judges"
AGREEMENT = "agreement"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Speech judges")
    choices = queries.choices(version).frame
    if choices.empty:
        st.markdown("**The published warehouse holds no speeches yet.** Load some:")
        st.code("rostrum ingest sample", language="shell")
        return
    chosen = select(PAGE, choices, in_detail=True)
    if chosen.is_sample:
        sample_badge(top)
    names = {name: tab.name for name, tab in TABS.items()}
    tab = choose_tab(PAGE, "about", "About", {AGREEMENT: "agreement with people", **names})
    if tab == AGREEMENT:
        _people(version, chosen)
    else:
        TABS[tab].draw(version, chosen)
    study_button(version, "speeches")


def _people(version: Version, chosen: Selection) -> None:
    kappas = queries.rater_agreement(version, chosen.view)
    ranks = queries.rank_agreement(version, chosen.view)
    shares = queries.score_distribution(version, chosen.view)
    headline(kappa_finding(kappas.frame, shares.frame))
    if not chosen.view.judges:
        agreement.no_judges_yet(chosen.view)
    side_by_side(
        agreement.draw,
        {
            "Same scores? (mean κ)": (version, agreement.BY_SCORE, kappas, shares.frame),
            "Same order? (τ-c)": (version, agreement.BY_ORDER, ranks, shares.frame),
        },
    )
    st.text(f"Each speech was scored for: “{chosen.question}”")
    _figures(kappas.frame, ranks.frame, shares.frame)
    look = looks(queries.judges(version).frame["judge_id"])
    order = multiples.by_effect(kappas.frame)
    with behind(shares):
        multiples.distributions(shares.frame, order, look)
    means = queries.source_scores(version, chosen.view)
    together = queries.source_agreement(version, chosen.view)
    with behind(means, together):
        multiples.sources(means.frame, together.frame, order, chosen.scale, look)
    worst = queries.worst_disagreements(version, chosen.view)
    if chosen.view.judges:
        evidence.disagreements(PAGE, worst.frame)
    evidence.speech(PAGE, version, chosen.view, chosen.scale)
    published = queries.published_comparison(version)
    unfolding("The paper's figures beside the warehouse's own", _published, published)
    how_computed(
        [KAPPA, TAU_C, DISTRIBUTION, SOURCES, UNPARSED],
        [
            ("Rater agreement", kappas),
            ("Rank agreement", ranks),
            ("Score distribution", shares),
            ("Mean score per source", means),
            ("Agreement across sources", together),
            ("Worst disagreements", worst),
            ("Published figures", published),
        ],
    )


def _figures(kappas: pd.DataFrame, ranks: pd.DataFrame, shares: pd.DataFrame) -> None:
    lead = best(kappas, "mean_kappa")
    people = human_row(kappas)
    if lead is None:
        left, right, _ = st.columns([1, 1, 2])
        with left:
            agreement.agreement_figure("People: mean κ", people, agreement.BY_SCORE)
        with right:
            agreement.agreement_figure("One person: τ-c", human_row(ranks), agreement.BY_ORDER)
        return
    with figure_row():
        agreement.agreement_figure("Highest mean κ", lead, agreement.BY_SCORE)
        agreement.agreement_figure("People: mean κ", people, agreement.BY_SCORE)
        agreement.agreement_figure("The same judge: τ-c", _same(ranks, lead), agreement.BY_ORDER)
        failed = _same(shares[shares["score_label"] == "unparsed"], lead)
        figure(
            "Its unparsed share",
            percent(failed["share"] if failed else None),
            f"{interval_in(failed, 'share', 100)} · "
            f"{count(failed['answer_count'])} of {plural(int(failed['n_answers']), 'answer')}"
            if failed
            else "unknown: its answers are not counted",
            meaning("unparsed_share"),
        )


def _same(frame: pd.DataFrame, lead: Mapping[str, Any]) -> dict[str, Any] | None:
    key = (lead["judge_id"], lead["template"])
    return next((row for row in records(frame) if (row["judge_id"], row["template"]) == key), None)


def _published(answer: Answer) -> None:
    published = answer.frame
    if published.empty:
        st.markdown("No published figures are loaded for these speeches.")
        return
    st.caption(
        "Published values stay as printed. “agrees”: the warehouse's value rounds to the "
        "printed one; “no data”: it needs data that are not loaded here."
    )
    table(
        pd.DataFrame(
            {
                "what": [str(one).replace("_", " ") for one in published["statistic"]],
                "of what": published["qualifier"],
                "published": [
                    number(value) if text is None else text
                    for value, text in zip(
                        published["published_value"], published["published_text"], strict=True
                    )
                ],
                "warehouse": published["warehouse_value"],
                "95 % interval": [
                    interval_in(row, "warehouse") or None for row in records(published)
                ],
                "result": [
                    str(status).replace("_", " ") for status in published["agreement_status"]
                ],
                "n": published["n"],
                "unit": published["unit"],
                "where": published["location"],
                "note": published["note"],
            }
        ),
        formats={"warehouse": ANY_SIZE},
        raw=answer,
        name="published_comparison",
    )


if __name__ == "__main__":
    draw(page)
