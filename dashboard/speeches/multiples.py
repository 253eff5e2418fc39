"""Small multiples: one panel per judge, people beside it in grey, the closest judge first."""

from collections.abc import Iterator, Mapping

import pandas as pd
import streamlit as st

from dashboard.core.findings import Row, records
from dashboard.core.labels import (
    DISTRIBUTION,
    HUMAN,
    SOURCES,
    count,
    escape_markdown,
    estimate_in,
    interval_in,
    is_missing,
    judge_name,
    number,
    plural,
    share_in,
    speeches_on_topics,
)
from dashboard.core.naming import nameable
from dashboard.core.series import Look
from dashboard.core.widgets import draw_chart, in_columns
from dashboard.speeches import charts as speech_charts
from dashboard.speeches.findings import judge_rows, over_speeches

PANELS_DRAWN = 12


def by_effect(kappas: pd.DataFrame) -> list[tuple[str, str]]:
    """Return judge × prompt pairs, the one closest to people first; people where nobody else is."""
    rows = judge_rows(kappas) or records(kappas)
    return [(row["judge_id"], row["template"]) for row in rows]


def _one_by_one(order: list[tuple[str, str]], across: int) -> Iterator[tuple[str, str]]:
    """Make one panel after the other, row by row, and say when some are left out."""
    if len(order) > PANELS_DRAWN:
        st.info(
            f"{PANELS_DRAWN} of {len(order)} judges are drawn, the closest to people; pick judges "
            "above to see others."
        )
    for pair in in_columns(order[:PANELS_DRAWN], across, vertical_alignment="bottom"):
        st.markdown(_panel_name(pair, order))
        yield pair


def _panel_name(pair: tuple[str, str], pairs: list[tuple[str, str]]) -> str:
    several = len({template for _, template in pairs}) > 1
    name = escape_markdown(judge_name(pair[0]))
    return f"**{name}**, {escape_markdown(pair[1])}" if several else f"**{name}**"


def _rows_of(frame: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    judge = (frame["judge_id"] == pair[0]) & (frame["template"] == pair[1])
    return frame[judge | (frame["judge_id"] == HUMAN)]


def distributions(
    shares: pd.DataFrame, order: list[tuple[str, str]], look: Mapping[str, Look]
) -> None:
    """Draw how often each score was given.

    Args:
        shares: From `queries.score_distribution`.
        order: Judge × prompt pairs, from `by_effect`.
    """
    st.subheader("Which scores are given?", anchor=False)
    st.markdown(distribution_finding(shares))
    st.caption(
        f"{DISTRIBUTION.line} Grey diamonds: people. Blue circles: the judge named above the "
        "panel. Lines: 95 % intervals. Scores on one topic resemble each other, so the interval "
        "counts what varies between topics; of a score that nobody or everybody gave, each topic "
        "counts once, so that 0 % of many answers on few topics keeps a long line."
    )
    shares = shares.assign(
        hover=[
            f"{judge_name(row['judge_id'])}: "
            f"{share_in(row, 'share')}, "
            f"{count(row['answer_count'])} of {count(row['n_answers'])} on "
            f"{plural(int(row['n_units']), 'topic')}"
            for row in records(shares)
        ]
    )
    # People have no unreadable scores: an empty column would only ask for an explanation.
    shares = shares[(shares["judge_id"] != HUMAN) | shares["score"].notna()]
    highest = max([float(one) for one in shares["share_high"].dropna()], default=1.0)
    for pair in _one_by_one(order, 3):
        draw_chart(
            speech_charts.distribution,
            _rows_of(shares, pair),
            look,
            pair[0],
            top=min(1.0, highest * 1.05),
        )


def sources(
    means: pd.DataFrame,
    together: pd.DataFrame,
    order: list[tuple[str, str]],
    scale: tuple[float, float],
    look: Mapping[str, Look],
) -> None:
    """Draw the mean score of each source.

    Args:
        means: From `queries.source_scores`.
        together: From `queries.source_agreement`.
        order: Judge × prompt pairs, from `by_effect`.
    """
    st.subheader("How are the sources of speeches scored?", anchor=False)
    st.markdown(source_finding(together, means))
    st.caption(
        f"{SOURCES.line} Sources stand in the order of people's means. r (Pearson) and τ-b say how "
        "well the two sets of means go together: 1 is full agreement. With few sources, their "
        "intervals are wide."
    )
    means = means.assign(
        hover=[
            f"{judge_name(row['judge_id'])}: "
            f"{estimate_in(row, 'mean_score')}, " + speeches_on_topics(row)
            for row in records(means)
        ]
    )
    notes = {(row["judge_id"], row["template"]): source_note(row) for row in judge_rows(together)}
    for pair in _one_by_one(order, 2):
        if note := notes.get(pair):
            st.caption(escape_markdown(note))
        draw_chart(speech_charts.sources, _rows_of(means, pair), look, pair[0], scale=scale)


def distribution_finding(shares: pd.DataFrame) -> str:
    """Return how far a judge leans on a single score, beside people, in Markdown."""
    known = [
        row
        for row in records(shares)
        if not is_missing(row["share"]) and row["share"] and not is_missing(row["score"])
    ]
    ranked = sorted(known, key=lambda row: -float(row["share"]))
    people = next((row for row in ranked if row["judge_id"] == HUMAN), None)
    lead = next((row for row in ranked if row["judge_id"] != HUMAN), None)
    if lead is None or people is None:
        one = lead or people
        if one is None:
            return "No score is known."
        who = "" if people is None else " of people"
        return f"The most frequent score{who} is {_frequency(one)}."
    judges = len({row["judge_id"] for row in records(shares)} - {HUMAN})
    who = (
        f"{escape_markdown(lead['judge_id'])} gives most often"
        if judges == 1
        else f"The score that one of {plural(judges, 'judge')} leans on most is"
    )
    return f"{who} {_frequency(lead)}. People's most frequent score is {_frequency(people)}."


def _frequency(row: Row) -> str:
    answers = plural(int(row["n_answers"]), "answer")
    return f"{row['score_label']}, in {share_in(row, 'share')} of {answers}"


def source_finding(together: pd.DataFrame, means: pd.DataFrame) -> str:
    """Return how closely judges treat sources as people do, in Markdown; else how people do."""
    named = [
        row
        for row in nameable(judge_rows(together), "n_items", "n_units")
        if not is_missing(row["pearson"])
    ]
    if not named:
        known = [row for row in records(means) if row["judge_id"] == HUMAN]
        if not known:
            return "No source has a mean score from people here."
        if len(known) == 1:
            return f"All speeches are of one source, which people score: {_source(known[0])}."
        return f"People score {_source(known[0])} highest and {_source(known[-1])} lowest."
    ranked = sorted(named, key=lambda row: float(row["pearson"]))
    ends = dict.fromkeys(estimate_in(row, "pearson") for row in (ranked[0], ranked[-1]))
    who = (
        escape_markdown(named[0]["judge_id"])
        if len(named) == 1
        else f"each of {plural(len({row['judge_id'] for row in named}), 'judge')}"
    )
    return (
        f"Mean scores of sources by {who} and by people: Pearson's r {' to '.join(ends)}, "
        f"{over_speeches(named)} of {plural(int(named[0]['n_sources']), 'source')}."
    )


def _source(row: Row) -> str:
    own = estimate_in(row, "mean_score")
    return f"{escape_markdown(row['source'])} ({own})"


def source_note(row: Row | None) -> str:
    """Return how well a judge's source means go together with people's, as plain text."""
    if row is None:
        return ""
    if is_missing(row["pearson"]) and is_missing(row["tau_b"]):
        return f"– {row['undefined_reason'] or ''}".strip()
    return (
        f"r {number(row['pearson'])} {interval_in(row, 'pearson')}, "
        f"τ-b {number(row['tau_b'])} {interval_in(row, 'tau_b')}, "
        f"{plural(int(row['n_sources']), 'source')}"
    )
