"""Which answers of a judge must a person see?"""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from dashboard.core.charts import PERCENT, Measure, curve
from dashboard.core.data import Answer, ask
from dashboard.core.findings import Row
from dashboard.core.labels import interval_in, is_missing, number
from dashboard.core.series import GREY, told_apart
from dashboard.core.tables import Of, formed, listing, percent_of, share_of
from dashboard.core.widgets import draw_chart, how_computed, side_by_side, unfolding
from dashboard.decisions.section import Chosen, Section
from warehouse.reader import Version

_SORTED, _RANDOM = "the most uncertain first", "drawn at random"
_COLOUR = "#0072B2"
_HALF, ANSWERS_SHOWN = 0.5, 500
_UNCERTAIN_FIRST = "is_for_people desc, uncertainty desc nulls first, instance_id"
_WAY = ("task", "dimension", "experiment", "judge_id", "template", "variant_id")


def draw(version: Version, chosen: Chosen) -> None:
    """Draw the risk-coverage curve, what thresholds do, and where intervals hold."""
    left, thresholds, covered = (
        _of(version, mart, chosen, order)
        for mart, order in (
            ("rpt_routing_curve", "wanted_share"),
            ("rpt_routing_thresholds", "wanted_error"),
            ("rpt_routing_coverage", "part, part_value"),
        )
    )
    points = left.rows
    if points:
        draw_chart(
            risk_coverage,
            _drawn(points),
            title=_conclusion(points),
            note=_note(points),
        )
    side_by_side(
        _listed, {"Thresholds": (thresholds, True), "Do the intervals hold?": (covered, False)}
    )
    answers = _of(version, "rpt_routing_answers", chosen, _UNCERTAIN_FIRST, most=ANSWERS_SHOWN)
    if not answers.frame.empty:
        unfolding("Which answers are for a person, the most uncertain first", _answers, answers)
    if not is_missing(chosen.row["reason"]) and not points:
        st.markdown("Every answer without an interval is for a person.")
    how_computed(
        [],
        [
            ("Decisions", chosen.answer),
            ("Error by what people see", left),
            ("Thresholds", thresholds),
            ("Coverage", covered),
            ("Answers", answers),
        ],
    )


def risk_coverage(points: pd.DataFrame, *, title: str, note: str) -> alt.LayerChart:
    """Draw the error that is left against the share that people see.

    `points` has columns `sent`, `value`, `low`, `high` in percent, `order` (how answers are chosen)
    and `hover`.
    `title`, `note`: what to conclude, and the line under it.
    """
    base = alt.Chart(points).encode(
        x=alt.X("sent:Q", title="answers that people see (%)", scale=PERCENT)
    )
    told = told_apart(
        "order",
        (_SORTED, _RANDOM),
        (_COLOUR, GREY),
        ("circle", "square"),
        alt.Legend(title=None, orient="top"),
    )
    measure = Measure("error left, % of the scale (lower = better)", way="y")
    return curve(base, measure, told, title=title, note=note, height=230, hover="error left")


def _drawn(points: Sequence[Row]) -> Sequence[Row]:
    drawn: list[Row] = []
    for row in points:
        sent = 100 * row["sent_share"]
        low, high = row["combined_error_low"], row["combined_error_high"]
        drawn.append(
            {
                "sent": sent,
                "value": 100 * row["combined_error"],
                "low": None if is_missing(low) else 100 * low,
                "high": None if is_missing(high) else 100 * high,
                "order": _SORTED,
                "hover": f"{number(100 * row['combined_error'])} % "
                f"{interval_in(row, 'combined_error', 100)}",
            }
        )
        drawn.append(
            {
                "sent": sent,
                "value": 100 * row["random_error"],
                "low": None,
                "high": None,
                "order": _RANDOM,
                "hover": f"{number(100 * row['random_error'])} %",
            }
        )
    return drawn


def _conclusion(points: Sequence[Row]) -> str:
    row = next(one for one in points if one["wanted_share"] == 0.2)
    error, random = (number(100 * row[one]) for one in ("combined_error", "random_error"))
    if not is_missing(row["gain_low"]) and row["gain_low"] > 0:
        return (
            f"Seeing the fifth that is least sure leaves {error} % error; a random fifth {random} %"
        )
    return f"Its uncertainty does not tell its errors: {error} % error left, at random {random} %"


def _note(points: Sequence[Row]) -> str:
    alone = next(one for one in points if one["wanted_share"] == 0)
    return (
        f"Alone it errs by {number(100 * alone['combined_error'])} % of the scale: "
        f"{alone['n_answers']:,} answers on {alone['n_units']:,} topics, people taken as right."
    )


def _listed(answer: Answer, is_threshold: bool) -> None:
    rows = answer.rows
    columns = (
        {
            "wanted error (%)": formed(lambda row: 100 * row["wanted_error"]),
            "error kept to": share_of("achieved_error"),
            "people see": share_of("sent_share"),
            "uncertainty up to": formed("threshold"),
            "topics": "n_units",
            "reason": "reason",
        }
        if is_threshold
        else {
            "answers": "part_value",
            "by": "part",
            "covered": share_of("coverage"),
            "mean width": formed("mean_width"),
            "topics": "n_units",
            "reason": "reason",
        }
    )
    name = "routing_thresholds" if is_threshold else "routing_coverage"
    listing(rows, columns, raw=answer, name=name)


def _answers(answer: Answer) -> None:
    rows = answer.rows
    if len(rows) == ANSWERS_SHOWN:
        st.caption(f"The {ANSWERS_SHOWN} most uncertain; the published table has all.")
    listing(
        rows,
        {
            "item": "instance_id",
            "for a person": lambda row: "yes" if row["is_for_people"] else "no",
            "uncertainty": formed("uncertainty"),
            "judge says": _said("judge_value"),
            "people say": _said("people_value"),
            "error (%)": percent_of("error"),
            "why no interval": "reason",
        },
        raw=answer,
        name="routing_answers",
    )


def _said(column: str) -> Of:
    """Return an answer as text: of a label the side, and a tie where it is halfway."""

    def show(row: Row) -> str | None:
        value = row[column]
        if is_missing(value) or not row["is_label"]:
            return None if is_missing(value) else number(value)
        return "tie" if value == _HALF else "Con" if value > _HALF else "Pro"

    return Of(column, show)


def _of(version: Version, mart: str, chosen: Chosen, order: str, *, most: int = 0) -> Answer:
    """The rows of a mart about the way of asking that the decision is about; all if no `most`."""
    same = " and ".join(f"{one} is not distinct from nullif(${one}, '')" for one in _WAY)
    asked = {one: "" if is_missing(chosen.row[one]) else str(chosen.row[one]) for one in _WAY}
    sql = f"select * from {mart}\nwhere dataset_id = $dataset and {same}\norder by {order}"
    if most:
        sql += f"\nlimit {most}"
    return ask(version, sql, dataset=chosen.dataset_id, **asked)


SECTION = Section(
    "Route answers",
    "Which answers of this judge must a person see?",
    (
        "It takes people's answers on at least 27 topics, and a judge's to the same:",
        "rostrum run debate-winner --judge simulated/fair",
    ),
    draw,
)
