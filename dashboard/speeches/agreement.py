"""Agreement with people, drawn the same way wherever it shows: chart, bounds, table, figures."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
    Metric,
    code_span,
    escape_markdown,
    estimate,
    estimate_in,
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


class Agreement(NamedTuple):
    """One way in which judges agree with people.

    Attributes:
        metric: What it is.
        more: What else stands under its tab's name.
        value: The column of its mart.
        prefix: How the columns of its interval and its difference to people begin.
        axis: What its axis says.
        file: Name of the download.
        columns: Of the table.
    """

    metric: Metric
    more: str
    value: str
    prefix: str
    axis: str
    file: str
    columns: Mapping[str, Column]

    def numbers(self, row: Row) -> tuple[Any, Any, Any]:
        """Return the value and the ends of its interval."""
        return row[self.value], row[f"{self.prefix}_low"], row[f"{self.prefix}_high"]

    def bounds(self, row: Row) -> str:
        """Return what failures could hide, in Markdown; empty without failures."""
        ends = (f"{self.value}_failures_{end}" for end in ("nearest", "farthest"))
        return bounds(row, self.metric.name, *ends)


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


BY_SCORE = Agreement(
    KAPPA,
    "",
    "mean_kappa",
    "kappa",
    "mean κ with one person (higher = closer to people)",
    "rater_agreement",
    {
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
    },
)
BY_ORDER = Agreement(
    TAU_C,
    " The band is one person against the others. For the comparison with it, a judge is put in "
    "that person's place, on that person's speeches; the table has both values.",
    "tau_c",
    "tau_c",
    "τ-c with people's mean score (higher = closer to people)",
    "rank_agreement",
    {
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
    },
)
_NOTE_ON_PEOPLE = "Grey band: people, with 95 % interval. "
_NOTE = "Dashed: chance. Lines: 95 % intervals."
_NOTE_ON_BOUNDS = " Dotted: bounds with failures counted."


def draw(version: Version, way: Agreement, found: Answer, shares: pd.DataFrame) -> None:
    """Draw how far judges agree with people, beside people, and list it."""
    st.caption(f"{way.metric.line}{way.more}")
    people, name = human_row(found.frame), way.metric.name
    rows: Sequence[Row] = judge_rows(found.frame) or ([people] if people else [])
    known = [row for row in rows if not is_missing(row[way.value])]
    drawn = known[: charts.JUDGES_DRAWN]
    if len(known) > len(drawn):
        st.info(
            f"The chart shows the {len(drawn)} highest of {len(known)}. The table below has all; "
            "pick judges above to see others."
        )
    if drawn:
        _chart(version, way, drawn, shares, people)
    several = len({row["template"] for row in rows}) > 1
    for row in rows:
        if is_missing(row[way.value]):
            reason = row["undefined_reason"] or "no value"
            prompt = f" with {prompt_name(row['template'])}" if several else ""
            st.text(f"– {judge_name(row['judge_id'])}{prompt} has no {name}: {reason}")
    for row in rows:
        if text := way.bounds(row):
            st.caption(f"{text} Prompt: {prompt_name(row['template'])}." if several else text)
    listing(found.rows, way.columns, raw=found, name=way.file)


def _chart(
    version: Version,
    way: Agreement,
    drawn: Sequence[Row],
    shares: pd.DataFrame,
    people: Row | None,
) -> None:
    name, above = way.metric.name, f"{way.prefix}_minus_human"
    unparsed = {
        (row["judge_id"], row["template"]): row
        for row in judge_rows(shares)
        if row["score_label"] == "unparsed"
    }
    several = len({row["template"] for row in drawn}) > 1
    data = []
    for row in drawn:
        failed = unparsed.get((row["judge_id"], row["template"]), {}).get("share")
        nearest, farthest = (f"{way.value}_failures_{end}" for end in ("nearest", "farthest"))
        has_bounds = bool(way.bounds(row))
        numbers = estimate(*way.numbers(row))
        second = f"{prompt_name(row['template'])}: {numbers}" if several else numbers
        mark = charts.warning(failed)
        data.append(
            {
                "label": f"{mark}{judge_name(row['judge_id'])}\n{second}",
                "judge_id": row["judge_id"],
                **_ends_of(row, way),
                "nearest": row[nearest] if has_bounds else None,
                "farthest": row[farthest] if has_bounds else None,
                "judge": judge_name(row["judge_id"]),
                "prompt": prompt_name(row["template"]),
                name: numbers,
                "against one person": estimate_in(row, above),
                "n": _n(row),
                "unparsed": percent(failed),
            }
        )
    draw_chart(
        charts.agreement,
        data,
        people and _ends_of(people, way),
        looks(queries.judges(version).frame["judge_id"]),
        axis=way.axis,
        title=chart_title(name, drawn, above, people),
        note=(
            ("" if people is None or is_missing(people[way.value]) else _NOTE_ON_PEOPLE)
            + _NOTE
            + (_NOTE_ON_BOUNDS if any(one["farthest"] is not None for one in data) else "")
        ),
        tooltips=["judge", "prompt", name, "against one person", "n", "unparsed"],
    )


def _ends_of(row: Row, way: Agreement) -> dict[str, Any]:
    return dict(zip(("value", "low", "high"), way.numbers(row), strict=True))


def _n(row: Row) -> str:
    if "pair_count" in row:
        return f"{plural(int(row['pair_count']), 'pair')} of people"
    if row["judge_id"] == HUMAN:
        return f"{plural(int(row['n_annotators']), 'person', 'people')}"
    return speeches_on_topics(row)


def agreement_figure(label: str, row: Row | None, way: Agreement) -> None:
    """Show how far a judge, or people, agree with people, with interval and n."""
    if row is None or is_missing(row[way.value]):
        reason = row["undefined_reason"] if row else "no judge here yet"
        why = f"unknown: {escape_markdown(reason or 'no value')}"
        figure(label, number(None), why, way.metric.line)
        return
    value, *ends = way.numbers(row)
    note = f"{interval(*ends)} · {_n(row)}"
    if row["judge_id"] != HUMAN:
        note = f"{code_span(row['judge_id'])} · {note}"
    figure(label, number(value), note, way.metric.line)


def no_judges_yet(view: View) -> None:
    """Say what to do when a data set has only human scores."""
    if view.dimension != OPENING_SPEECH:
        st.markdown("No judge has scored these yet.")
        next_steps(*own_question(view.dataset_id, view.dimension))
        return
    st.markdown("No judge has scored these speeches yet. See which judges there are, then run one:")
    st.code("rostrum judges\nrostrum run speech-score --judge JUDGE", language="shell")
