"""Which answers of a judge must a person see?"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from dashboard.core.charts import PERCENT, Measure, curve
from dashboard.core.data import Answer, ask
from dashboard.core.findings import Row
from dashboard.core.labels import interval, is_missing, number
from dashboard.core.series import COLOURS, GREY, told_apart
from dashboard.core.tables import Of, formed, listing, percent_of, share_of
from dashboard.core.widgets import draw_chart, how_computed, side_by_side, unfolding
from dashboard.decisions.section import Chosen, Section
from warehouse.reader import Version

_SORTED, _RANDOM = "the most uncertain first", "drawn at random"
_CONSTANT = "annotators' mean or usual label for all"
_FORMS = {"recalibrated": "scores recalibrated", "most probable": "the more probable label"}
_GAIN_SHARE = 0.2
_HALF, ANSWERS_SHOWN = 0.5, 500
_OWN_FIRST = "answer_form != 'own'"
_UNCERTAIN_FIRST = "is_for_people desc, uncertainty desc nulls first, instance_id"
_WAY = ("task", "dimension", "experiment", "judge_id", "template", "variant_id")


def draw(version: Version, chosen: Chosen) -> None:
    """Draw the risk-coverage curve, what thresholds do, and where intervals hold."""
    left, thresholds, covered = (
        _of(version, mart, chosen, order)
        for mart, order in (
            ("rpt_routing_curve", f"{_OWN_FIRST}, wanted_share"),
            ("rpt_routing_thresholds", f"{_OWN_FIRST}, wanted_error"),
            ("rpt_routing_coverage", f"{_OWN_FIRST}, part, part_value"),
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
    """Draw the error that is left against the share that annotators judge.

    `points` has columns `sent`, `value`, `low`, `high` in percent, `order` (which answers stand,
    and how the others are chosen) and `hover`.
    `title`, `note`: what to conclude, and the line under it.
    """
    base = alt.Chart(points).encode(
        x=alt.X("sent:Q", title="answers that annotators judge (%)", scale=PERCENT)
    )
    order = list(dict.fromkeys(points["order"]))
    told = told_apart(
        "order",
        order,
        (COLOURS[0], GREY, COLOURS[1], COLOURS[2]),
        ("circle", "square", "diamond", "triangle-up"),
        alt.Legend(title=None, orient="top", columns=2, labelLimit=0),
    )
    measure = Measure("error left, % of the scale (lower = better)", way="y")
    return curve(base, measure, told, title=title, note=note, height=230, hover="error left")


def _drawn(points: Sequence[Row]) -> list[Row]:
    own = [row for row in points if row["answer_form"] == "own"]
    others = [row for row in points if row["answer_form"] != "own"]
    lines = [
        (_SORTED, own, "combined_error"),
        (_RANDOM, own, "random_error"),
        (_CONSTANT, own, "baseline_error"),
        *((_FORMS[row["answer_form"]], others, "combined_error") for row in others[:1]),
    ]
    drawn: list[Row] = []
    for order, rows, column in lines:
        for row in rows:
            ends = [row.get(f"{column}_{end}") for end in ("low", "high")]
            low, high = (None if is_missing(end) else 100 * float(end or 0) for end in ends)
            said = f"{number(100 * row[column])} % {interval(low, high)}"
            drawn.append(
                {
                    "sent": 100 * row["sent_share"],
                    "value": 100 * row[column],
                    "low": low,
                    "high": high,
                    "order": order,
                    "hover": said,
                }
            )
    return drawn


def _nearest(points: Sequence[Row], share: float) -> Row:
    own = [row for row in points if row["answer_form"] == "own"]
    return min(own, key=lambda row: abs(row["wanted_share"] - share))


def _conclusion(points: Sequence[Row]) -> str:
    row = _nearest(points, _GAIN_SHARE)
    error, random = (number(100 * row[one]) for one in ("combined_error", "random_error"))
    share = number(100 * row["wanted_share"])
    if not is_missing(row["gain_low"]) and row["gain_low"] > 0:
        return (
            f"With annotators judging the {share} % it is least sure of, {error} % error is left; "
            f"with {share} % at random, {random} %"
        )
    return (
        f"Its uncertainty does not find its errors: {error} % is left with the {share} % it is "
        f"least sure of judged, {random} % with {share} % at random"
    )


def _note(points: Sequence[Row]) -> str:
    alone = _nearest(points, 0)
    return (
        f"Alone it errs by {number(100 * alone['combined_error'])} % of the scale, a constant "
        f"answer by {number(100 * alone['baseline_error'])} %: {alone['n_answers']:,} answers on "
        f"{alone['n_units']:,} topics, annotators taken as right."
    )


def _listed(answer: Answer, is_threshold: bool) -> None:
    rows = answer.rows
    columns: dict[str, Any] = (
        {
            "answers": _form,
            "wanted error (%)": formed(lambda row: 100 * row["wanted_error"]),
            "error kept to": share_of("achieved_error"),
            "annotators judge": share_of("sent_share"),
            "uncertainty up to": formed("threshold"),
            "topics": "n_units",
            "reason": "reason",
        }
        if is_threshold
        else {
            "answers": _form,
            "of": "part_value",
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
            "annotators say": _said("people_value"),
            "error (%)": percent_of("error"),
            "why no interval": "reason",
        },
        raw=answer,
        name="routing_answers",
    )


def _form(row: Row) -> str:
    return _FORMS.get(row["answer_form"], "its own")


def _said(column: str) -> Of:
    """Return an answer as text: of a label the side, and a tie where it is halfway."""

    def show(row: Row) -> str | None:
        value = row[column]
        if is_missing(value) or not row["is_label"]:
            return None if is_missing(value) else number(value)
        return "tie" if value == _HALF else "Con" if value > _HALF else "Pro"

    return Of(column, show)


def _of(version: Version, mart: str, chosen: Chosen, order: str, *, most: int = 0) -> Answer:
    """Rows of a mart for the decision's judge and prompt; with `most`, the first own answers."""
    same = " and ".join(f"{one} is not distinct from nullif(${one}, '')" for one in _WAY)
    asked = {one: "" if is_missing(chosen.row[one]) else str(chosen.row[one]) for one in _WAY}
    if most:
        same += "\n    and answer_form = 'own'"
    sql = f"select * from {mart}\nwhere dataset_id = $dataset and {same}\norder by {order}"
    if most:
        sql += f"\nlimit {most}"
    return ask(version, sql, dataset=chosen.dataset_id, **asked)


SECTION = Section(
    "Route answers",
    "Which answers of this judge must a person see?",
    (
        "It takes annotators' answers on at least 27 topics, and a judge's to the same:",
        "rostrum run debate-winner --judge simulated/fair",
    ),
    draw,
)
