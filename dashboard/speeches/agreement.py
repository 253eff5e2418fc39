"""Agreement with people, drawn the same way wherever it shows: chart, bounds, table, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from dashboard.core import charts, queries
from dashboard.core.data import Answer, View
from dashboard.core.findings import Row
from dashboard.core.first_run import OPENING_SPEECH, own_question
from dashboard.core.labels import (
    HUMAN,
    KAPPA,
    TAU_C,
    code_span,
    escape_markdown,
    estimate,
    interval,
    is_missing,
    judge_name,
    number,
    percent,
    plural,
    speeches_on_topics,
)
from dashboard.core.series import looks
from dashboard.core.tables import Column, Of, formed, listing
from dashboard.core.widgets import COEFFICIENT, draw_chart, figure, next_steps
from dashboard.core.words import prompt_name
from dashboard.speeches.findings import bounds, chart_title, human_row, judge_rows
from warehouse.reader import Version


class Columns(NamedTuple):
    """Where an agreement mart has its value, interval, bounds and difference to people."""

    value: str
    low: str
    high: str
    nearest: str
    farthest: str
    above: str


KAPPA_COLUMNS = Columns(
    "mean_kappa",
    "kappa_low",
    "kappa_high",
    "mean_kappa_failures_nearest",
    "mean_kappa_failures_farthest",
    "kappa_minus_human",
)
TAU_COLUMNS = Columns(
    "tau_c",
    "tau_c_low",
    "tau_c_high",
    "tau_c_failures_nearest",
    "tau_c_failures_farthest",
    "tau_c_minus_human",
)
_NOTE_ON_PEOPLE = "Grey band: people, with 95 % interval. "
_NOTE = "Dashed: chance. Lines: 95 % intervals."
_NOTE_ON_BOUNDS = " Dotted: bounds with failures counted."


def kappa(version: Version, kappas: pd.DataFrame, shares: pd.DataFrame) -> None:
    """Draw mean kappas of judges beside people."""
    _draw(
        version,
        kappas,
        shares,
        KAPPA_COLUMNS,
        KAPPA.name,
        "mean κ with one person (higher = closer to people)",
    )


def tau_c(version: Version, ranks: pd.DataFrame, shares: pd.DataFrame) -> None:
    """Draw rank correlations of judges beside people."""
    _draw(
        version,
        ranks,
        shares,
        TAU_COLUMNS,
        TAU_C.name,
        "τ-c with people's mean score (higher = closer to people)",
    )


def _draw(
    version: Version,
    frame: pd.DataFrame,
    shares: pd.DataFrame,
    columns: Columns,
    name: str,
    axis: str,
) -> None:
    people = human_row(frame)
    rows: Sequence[Row] = judge_rows(frame) or ([people] if people else [])
    known = [row for row in rows if not is_missing(row[columns.value])]
    unknown = [row for row in rows if is_missing(row[columns.value])]
    people = human_row(frame)
    drawn = known[: charts.JUDGES_DRAWN]
    if len(known) > len(drawn):
        st.info(
            f"The chart shows the {len(drawn)} highest of {len(known)}. The table below has all; "
            "pick judges above to see others."
        )
    if drawn:
        _chart(version, drawn, shares, people, columns, name, axis)
    several = len({row["template"] for row in rows}) > 1
    for row in unknown:
        reason = row["undefined_reason"] or "no value"
        prompt = f" with {prompt_name(row['template'])}" if several else ""
        st.text(f"– {judge_name(row['judge_id'])}{prompt} has no {name}: {reason}")
    for row in rows:
        if text := bounds(row, name, columns.nearest, columns.farthest):
            st.caption(f"{text} Prompt: {prompt_name(row['template'])}." if several else text)


def _chart(
    version: Version,
    drawn: Sequence[Row],
    shares: pd.DataFrame,
    people: Row | None,
    columns: Columns,
    name: str,
    axis: str,
) -> None:
    unparsed = {
        (row["judge_id"], row["template"]): row
        for row in judge_rows(shares)
        if row["score_label"] == "unparsed"
    }
    several = len({row["template"] for row in drawn}) > 1
    data = []
    for row in drawn:
        failed = unparsed.get((row["judge_id"], row["template"]), {}).get("share")
        has_bounds = bool(bounds(row, name, columns.nearest, columns.farthest))
        numbers = estimate(row[columns.value], row[columns.low], row[columns.high])
        second = f"{prompt_name(row['template'])}: {numbers}" if several else numbers
        mark = charts.warning(failed)
        data.append(
            {
                "label": f"{mark}{judge_name(row['judge_id'])}\n{second}",
                "judge_id": row["judge_id"],
                "value": row[columns.value],
                "low": row[columns.low],
                "high": row[columns.high],
                "nearest": row[columns.nearest] if has_bounds else None,
                "farthest": row[columns.farthest] if has_bounds else None,
                "judge": judge_name(row["judge_id"]),
                "prompt": prompt_name(row["template"]),
                name: numbers,
                "against one person": estimate(
                    row[columns.above],
                    row[f"{columns.above}_low"],
                    row[f"{columns.above}_high"],
                ),
                "n": _n(row),
                "unparsed": percent(failed),
            }
        )
    band = people and {
        "value": people[columns.value],
        "low": people[columns.low],
        "high": people[columns.high],
    }
    draw_chart(
        charts.agreement,
        data,
        band,
        looks(queries.judges(version).frame["judge_id"]),
        axis=axis,
        title=chart_title(name, drawn, columns.above, people),
        note=(
            ("" if people is None or is_missing(people[columns.value]) else _NOTE_ON_PEOPLE)
            + _NOTE
            + (_NOTE_ON_BOUNDS if any(one["farthest"] is not None for one in data) else "")
        ),
        tooltips=["judge", "prompt", name, "against one person", "n", "unparsed"],
    )


def _n(row: Row) -> str:
    if "pair_count" in row:
        return f"{plural(int(row['pair_count']), 'pair')} of people"
    if row["judge_id"] == HUMAN:
        return f"{plural(int(row['n_annotators']), 'person', 'people')}"
    return speeches_on_topics(row)


def kappa_figure(label: str, row: Row | None) -> None:
    """Show one mean kappa with interval and n."""
    _figure(label, row, KAPPA_COLUMNS, KAPPA.line)


def tau_figure(label: str, row: Row | None) -> None:
    """Show one tau-c with interval and n."""
    _figure(label, row, TAU_COLUMNS, TAU_C.line)


def _figure(label: str, row: Row | None, columns: Columns, line: str) -> None:
    if row is None or is_missing(row[columns.value]):
        reason = row["undefined_reason"] if row else "no judge here yet"
        figure(label, number(None), f"unknown: {escape_markdown(reason or 'no value')}", line)
        return
    note = f"{interval(row[columns.low], row[columns.high])} · {_n(row)}"
    if row["judge_id"] != HUMAN:
        note = f"{code_span(row['judge_id'])} · {note}"
    figure(label, number(row[columns.value]), note, line)


def no_judges_yet(view: View) -> None:
    """Say what to do when a data set has only human scores."""
    if view.dimension != OPENING_SPEECH:
        st.markdown("No judge has scored these yet.")
        next_steps(*own_question(view.dataset_id, view.dimension))
        return
    st.markdown("No judge has scored these speeches yet. See which judges there are, then run one:")
    st.code("rostrum judges\nrostrum run speech-score --judge JUDGE", language="shell")


_WHO: Mapping[str, Column] = {
    "judge": lambda row: judge_name(row["judge_id"]),
    "prompt": lambda row: None if row["judge_id"] == HUMAN else row["template"],
}
_ANSWERS: Mapping[str, Column] = {
    "answers": "n_answers",
    "unparsed": "unparsed_count",
    "not answered": "unanswered_count",
}


def _ends(low: str, high: str) -> Of:
    """Return an interval by the columns of its ends; the lower explains the heading."""

    def show(row: Row) -> str | None:
        return interval(row[low], row[high]) or None

    return Of(low, show)


_KAPPAS: Mapping[str, Column] = {
    **_WHO,
    "mean κ": formed("mean_kappa", COEFFICIENT),
    "95 % interval": _ends("kappa_low", "kappa_high"),
    "against people": formed("kappa_minus_human", COEFFICIENT),
    "its interval": _ends("kappa_minus_human_low", "kappa_minus_human_high"),
    "median κ": formed("median_kappa", COEFFICIENT),
    "as in the released program": formed("mean_kappa_released", COEFFICIENT),
    "pairs of people": "pair_count",
    "speeches per pair": formed("mean_support", "%.1f"),
    "people": "n_units",
    **_ANSWERS,
    "undefined pairs": "undefined_pair_count",
    "pairs dropped": "dropped_pair_count",
    "why unknown": "undefined_reason",
}
_RANKS: Mapping[str, Column] = {
    **_WHO,
    "τ-c": formed("tau_c", COEFFICIENT),
    "95 % interval": _ends("tau_c_low", "tau_c_high"),
    "on people's speeches": formed("tau_c_on_human_items", COEFFICIENT),
    "against one person": formed("tau_c_minus_human", COEFFICIENT),
    "its interval": _ends("tau_c_minus_human_low", "tau_c_minus_human_high"),
    "τ-b": formed("tau_b", COEFFICIENT),
    "Spearman": formed("spearman", COEFFICIENT),
    "Pearson": formed("pearson", COEFFICIENT),
    "speeches": "n_items",
    "motions": "n_units",
    **_ANSWERS,
    "why unknown": "undefined_reason",
}


def kappa_table(answer: Answer) -> None:
    """Show the rows behind the kappa chart."""
    listing(answer.rows, _KAPPAS, raw=answer, name="rater_agreement")


def tau_c_table(answer: Answer) -> None:
    """Show the rows behind the tau-c chart, with the other correlations."""
    listing(answer.rows, _RANKS, raw=answer, name="rank_agreement")
