"""How well do judges score speeches, compared with the people who scored the same speeches?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import agreement, agreement_tables, charts, evidence, queries
from dashboard.app import draw
from dashboard.colours import Look, looks
from dashboard.data import Answer
from dashboard.findings import (
    best,
    distribution_finding,
    human_row,
    judge_rows,
    kappa_finding,
    records,
    source_finding,
    source_note,
)
from dashboard.labels import (
    DISTRIBUTION,
    HUMAN,
    KAPPA,
    SOURCES,
    TAU_C,
    UNPARSED,
    code_span,
    count,
    escape_markdown,
    estimate,
    interval,
    judge_name,
    number,
    percent,
    plural,
    share,
)
from dashboard.selection import select
from dashboard.widgets import (
    ANY_SIZE,
    draw_chart,
    figure,
    headline,
    how_computed,
    sample_badge,
    table,
)
from warehouse.reader import Version

PAGE = "speech_judges"
PANELS_DRAWN = 12


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Speech judges")
    choices = queries.choices(version).frame
    if choices.empty:
        st.markdown("**The published warehouse holds no speeches yet.** Load some, then build:")
        st.code("rostrum ingest sample\nrostrum build", language="shell")
        return
    chosen = select(PAGE, choices, in_detail=True)
    kappas = queries.rater_agreement(version, chosen.view)
    ranks = queries.rank_agreement(version, chosen.view)
    shares = queries.score_distribution(version, chosen.view)
    if chosen.is_sample:
        sample_badge()
    headline(kappa_finding(kappas.frame, shares.frame))
    st.text(f"Each speech was scored for: “{chosen.question}”")
    _figures(kappas.frame, ranks.frame, shares.frame)
    if not chosen.view.judges:
        agreement.no_judges_yet()
    _agreement(version, kappas, ranks, shares.frame)
    look = looks(queries.judges(version).frame["judge_id"])
    order = _by_effect(kappas.frame)
    _distributions(shares.frame, order, look)
    means = queries.source_scores(version, chosen.view)
    together = queries.source_agreement(version, chosen.view)
    _sources(means.frame, together.frame, order, chosen.scale, look)
    worst = queries.worst_disagreements(version, chosen.view)
    if chosen.view.judges:
        evidence.disagreements(PAGE, worst.frame)
    evidence.speech(PAGE, version, chosen.view, chosen.scale)
    published = queries.published_comparison(version)
    _published(published)
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
    name = code_span(lead["judge_id"]) if lead else "Judge"
    boxes = st.columns(4)
    with boxes[0]:
        agreement.kappa_figure("Best judge: mean κ", lead)
    with boxes[1]:
        agreement.kappa_figure("People: mean κ", human_row(kappas))
    with boxes[2]:
        agreement.tau_figure("The same judge: τ-c", _same(ranks, lead))
    with boxes[3]:
        failed = _same(shares[shares["score_label"] == "unparsed"], lead)
        figure(
            "Its unparsed share",
            percent(failed["share"] if failed else None),
            f"{interval(failed['share_low'], failed['share_high'], 100)} · "
            f"{count(failed['answer_count'])} of {plural(int(failed['n_answers']), 'answer')}"
            if failed
            else f"{name}: no unreadable answer counted",
            UNPARSED.line,
        )


def _same(frame: pd.DataFrame, lead: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if lead is None:
        return None
    key = (lead["judge_id"], lead["template"])
    return next((row for row in records(frame) if (row["judge_id"], row["template"]) == key), None)


def _agreement(version: Version, kappas: Answer, ranks: Answer, shares: pd.DataFrame) -> None:
    st.subheader("How close is each judge to people?", anchor=False)
    scores, order = st.tabs(["Same scores? (mean κ)", "Same order? (τ-c)"])
    with scores:
        st.caption(KAPPA.line)
        agreement.kappa(version, kappas.frame, shares)
        agreement_tables.kappa_table(kappas)
    with order:
        st.caption(
            f"{TAU_C.line} The band is one person against the others. For the comparison with "
            "it, a judge is put in that person's place, on that person's speeches; the table "
            "has both values."
        )
        agreement.tau_c(version, ranks.frame, shares)
        agreement_tables.tau_c_table(ranks)


def _by_effect(kappas: pd.DataFrame) -> list[tuple[str, str]]:
    """Return judge × prompt pairs, the one closest to people first; people where nobody else is."""
    rows = judge_rows(kappas) or records(kappas)
    return [(row["judge_id"], row["template"]) for row in rows]


def _panels(order: list[tuple[str, str]], across: int) -> Iterator[tuple[str, str]]:
    """Make one panel after the other, row by row, and say when some are left out."""
    if len(order) > PANELS_DRAWN:
        st.info(
            f"{PANELS_DRAWN} of {len(order)} judges are drawn, the closest to people; pick judges "
            "above to see others."
        )
    drawn = order[:PANELS_DRAWN]
    for start in range(0, len(drawn), across):
        columns = st.columns(across, vertical_alignment="bottom")
        for column, pair in zip(columns, drawn[start : start + across], strict=False):
            with column:
                st.markdown(_panel_name(pair, order))
                yield pair


def _panel_name(pair: tuple[str, str], pairs: list[tuple[str, str]]) -> str:
    several = len({template for _, template in pairs}) > 1
    name = escape_markdown(judge_name(pair[0]))
    return f"**{name}**, {escape_markdown(pair[1])}" if several else f"**{name}**"


def _rows_of(frame: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    judge = (frame["judge_id"] == pair[0]) & (frame["template"] == pair[1])
    return frame[judge | (frame["judge_id"] == HUMAN)]


def _distributions(
    shares: pd.DataFrame, order: list[tuple[str, str]], look: Mapping[str, Look]
) -> None:
    st.subheader("Which scores do judges give?", anchor=False)
    st.markdown(distribution_finding(shares))
    st.caption(
        f"{DISTRIBUTION.line} Grey circles: people. Coloured shapes: the judge named above the "
        "panel. Lines: 95 % intervals."
    )
    shares = shares.assign(
        hover=[
            f"{row['judge_id']}: "
            f"{share(row['share'], row['share_low'], row['share_high'])}, "
            f"{count(row['answer_count'])} of {count(row['n_answers'])}"
            for row in records(shares)
        ]
    )
    # People have no unreadable scores: an empty column would only ask for an explanation.
    shares = shares[(shares["judge_id"] != HUMAN) | shares["score"].notna()]
    highest = max([float(one) for one in shares["share_high"].dropna()], default=1.0)
    for pair in _panels(order, 3):
        draw_chart(
            charts.distribution,
            _rows_of(shares, pair),
            look,
            pair[0],
            top=min(1.0, highest * 1.05),
        )


def _sources(
    means: pd.DataFrame,
    together: pd.DataFrame,
    order: list[tuple[str, str]],
    scale: tuple[float, float],
    look: Mapping[str, Look],
) -> None:
    st.subheader("Does a judge treat the sources of speeches as people do?", anchor=False)
    st.markdown(source_finding(together))
    st.caption(
        f"{SOURCES.line} Sources stand in the order of people's means. r (Pearson) and τ-b say how "
        "well the two sets of means go together: 1 is full agreement. With few sources, their "
        "intervals are wide."
    )
    means = means.assign(
        hover=[
            f"{row['judge_id']}: "
            f"{estimate(row['mean_score'], row['mean_score_low'], row['mean_score_high'])}, "
            f"{plural(int(row['n_items']), 'speech', 'speeches')}"
            for row in records(means)
        ]
    )
    notes = {(row["judge_id"], row["template"]): source_note(row) for row in judge_rows(together)}
    for pair in _panels(order, 2):
        if note := notes.get(pair):
            st.caption(escape_markdown(note))
        draw_chart(charts.sources, _rows_of(means, pair), look, pair[0], scale=scale)


def _published(answer: Answer) -> None:
    published = answer.frame
    with st.expander("The paper's figures beside the warehouse's own"):
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
                    "where": published["location"],
                    "what": published["statistic"],
                    "of what": published["qualifier"],
                    "published": [
                        number(value) if text is None else text
                        for value, text in zip(
                            published["published_value"], published["published_text"], strict=True
                        )
                    ],
                    "warehouse": published["warehouse_value"],
                    "95 % interval": [
                        interval(row["warehouse_low"], row["warehouse_high"]) or None
                        for row in records(published)
                    ],
                    "n": published["n"],
                    "unit": published["unit"],
                    "result": [
                        str(status).replace("_", " ") for status in published["agreement_status"]
                    ],
                    "note": published["note"],
                }
            ),
            formats={"warehouse": ANY_SIZE},
            raw=answer,
            name="published_comparison",
        )


if __name__ == "__main__":
    draw(page)
