"""Whether probabilities mean what they say, and whether belief moves towards the truth."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core.charts import point
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    basis,
    count,
    escape_markdown,
    estimate,
    is_missing,
    judge_name,
    percent,
    share_in,
)
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed, percent_of
from dashboard.core.widgets import COEFFICIENT, draw_chart, in_columns
from dashboard.debates.battery import all_looks
from dashboard.oversight import charts
from dashboard.oversight import findings as words
from dashboard.oversight.labels import BELIEF, CALIBRATION, mode_name, protocol_name
from dashboard.oversight.panels import setting_label
from warehouse.reader import Version

DIAGRAMS_DRAWN, LINES_DRAWN = 4, 24
_KEYS = (
    "judge_id",
    "protocol",
    "debater",
    "debater_kind",
    "debate_setting",
    "is_interactive",
    "mode",
    "template",
    "asked_for",
    "answer_order",
)


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in _KEYS)


def _bin(row: Row) -> dict[str, object]:
    return {
        "forecast": 100 * row["mean_p"],
        **point(row, "share", 100),
        "n": row["n_units"],
        "hover": f"stated {percent(row['mean_p'])}, came true "
        f"{share_in(row, 'share')}, "
        f"{basis(row, 'unit', cluster='story')}",
    }


def _belief(row: Row) -> dict[str, object]:
    said = estimate(
        100 * row["mean_p_right"], 100 * row["mean_p_right_low"], 100 * row["mean_p_right_high"]
    )
    how = mode_name(row["mode"])
    name = f"{row['protocol']} by {row['debater']}" + (f", {how}" if how else "")
    return {
        "judge_id": str(row["judge_id"]),
        "line": " ".join(str(one) for one in _key(row)),
        "protocol": name,
        "step": int(row["step"]),
        **point(row, "mean_p_right", 100),
        "hover": f"{row['judge_id']}, {name}, after round {count(row['step'])}: {said} %, "
        f"{basis(row, 'unit', cluster='story')}",
    }


against_people = Panel(
    "judge_against_people",
    {
        "judge": "judge_id",
        "protocol": "protocol",
        "consultants": "honesty",
        "debater": "debater",
        "people": lambda row: mode_name(row["people_mode"]) or "read",
        "when": "moment",
        "measure": "measure",
        "model's": formed("judge_value", COEFFICIENT),
        "people's": formed("people_value", COEFFICIENT),
        "difference": formed("difference", COEFFICIENT),
        "95 % interval": band("difference"),
        "debates": "n_units",
        "stories": "n_clusters",
        "people who judged": "n_people",
        "prompt": "template",
        "order": "answer_order",
        "why unknown": "reason",
    },
    heading="Beside the people who judged the same debates",
    line=(
        "Each debate is judged by the model and by people after the same rounds; the difference is "
        "the model's value less theirs, over debates that both judged. A lower Brier score is "
        "better. Intervals are over stories."
    ),
    may_be_absent=True,
)


def _draw_beliefs(rows: Sequence[Row]) -> None:
    lines: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row["honesty"] == "all" and not is_missing(row["mean_p_right"]):
            lines.setdefault(_key(row), []).append(row)
    # Steps of too few stories for an interval are left out; a line with none keeps all.
    drawn = [
        [row for row in line if not is_missing(row["mean_p_right_low"])] or line
        for line in list(lines.values())[:LINES_DRAWN]
    ]
    if len(lines) > len(drawn):
        st.info(f"{len(drawn)} of {len(lines)} lines are drawn; the table has all.")
    if drawn:
        shown = [row for line in drawn for row in line]
        st.markdown(f"**{escape_markdown(words.belief_title(shown))}**")
        st.caption(
            "Lines: 95 % intervals over stories; later steps, too few for one, are in the table. "
            "Dashed: one half."
        )
        judges = list(dict.fromkeys(str(row["judge_id"]) for row in shown))
        for judge in in_columns(judges, 2):
            draw_chart(
                charts.beliefs,
                [_belief(row) for row in shown if row["judge_id"] == judge],
                axis="mean belief in the right answer, % (higher = better)",
                title=judge_name(judge),
            )
        st.caption(
            "A judge who ends a debate is in no later step: later means are of those still unsure. "
            "The table's changes are of the same judge and debate."
        )


beliefs = Panel(
    "belief_steps",
    {
        "judge": "judge_id",
        "protocol": lambda row: protocol_name(row["protocol"], row["is_interactive"]),
        "debater": "debater",
        "consultants": "honesty",
        "after round": "step",
        "belief in the right": formed("mean_p_right", "percent"),
        "95 % interval": band("mean_p_right", 100),
        "right": formed("accuracy", "percent"),
        "change, points": percent_of("change"),
        "its interval": band("change", 100),
        "toward": "toward_count",
        "away": "away_count",
        "unmoved": "still_count",
        "judged": "n_units",
        "stories": "n_clusters",
        "how": lambda row: mode_name(row["mode"]) or "read",
        "why unknown": "reason",
    },
    line=BELIEF,
    empty="No judge was asked after more than one round. This asks after each:",
    command="rostrum run story-judgement-steps --judge JUDGE",
    draw=_draw_beliefs,
)


def _draw_calibration(rows: Sequence[Row], version: Version, bins: Answer) -> None:
    looks = all_looks(version, [str(row["judge_id"]) for row in rows])
    by_key: dict[tuple[object, ...], list[Row]] = {}
    for one in bins.rows:
        by_key.setdefault(_key(one), []).append(one)
    drawn = [row for row in rows if _key(row) in by_key][:DIAGRAMS_DRAWN]
    if len(rows) > len(drawn):
        st.info(f"{len(drawn)} of {len(rows)} rows are drawn; the table has all.")
    for row in in_columns(drawn, 2):
        label = setting_label(row, rows).replace("\n", " ").strip()
        draw_chart(
            charts.reliability,
            [_bin(one) for one in by_key[_key(row)]],
            looks[str(row["judge_id"])],
            title=(judge_name(str(row["judge_id"])), label),
            note=words.calibration_note(row),
        )
    st.caption(
        "Across: the probability given to the likelier answer, never under one half. Up: how often "
        "it was right. Each "
        "point is a bin with its n; on the dashed line both are the same. Lines: 95 % intervals."
    )


_MEASURES = {
    "Brier score": "brier",
    "reliability": "reliability",
    "resolution": "resolution",
    "uncertainty": "uncertainty",
    "variance in bins": "within_bin_variance",
    "covariance in bins": "within_bin_covariance",
    "error, likelier answer": "ece_max_p",
    "perfect judge's": "ece_max_p_if_calibrated",
    "error, answer 0": "ece_answer_0",
    "perfect judge's, answer 0": "ece_answer_0_if_calibrated",
    "overconfidence": "overconfidence",
    "log score": "log_score",
    "log score of finite": "log_score_of_finite",
}
calibration = Panel(
    "oversight_calibration",
    {
        "judge": "judge_id",
        "protocol": lambda row: protocol_name(row["protocol"], row["is_interactive"]),
        "debater": "debater",
        **{name: formed(column, COEFFICIENT) for name, column in _MEASURES.items()},
        "Brier's interval": band("brier"),
        "certain and wrong": "infinite_count",
        "bins": "bin_count",
        "judged": "n_units",
        "stories": "n_clusters",
        "how": lambda row: mode_name(row["mode"]) or "read",
        "why unknown": "reason",
        "why no log score": "log_reason",
    },
    line=CALIBRATION,
    empty="Nobody here gave a probability: a choice alone cannot be calibrated.",
    draw=_draw_calibration,
)
