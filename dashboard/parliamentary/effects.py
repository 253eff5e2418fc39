"""What a judge favours, whether length matters to it, and what is wrong with its replies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.labels import (
    count,
    estimate,
    interval,
    is_missing,
    p_cell,
    p_value,
    plural,
    share,
)
from dashboard.core.widgets import ANY_SIZE, choose_tab, draw_chart, table
from dashboard.debates import charts as verdict_charts
from dashboard.debates.battery import all_looks
from dashboard.parliamentary import charts as parliamentary_charts
from dashboard.parliamentary import findings as words
from dashboard.parliamentary.labels import (
    BIAS_METRIC,
    EFFECTS,
    FAULTS,
    OUTCOMES,
    signed,
    task_name,
)
from dashboard.parliamentary.panels import LANES_DRAWN
from dashboard.speeches.findings import Row, records
from warehouse.reader import Version

_UNITS = {"speaker_score": "points", "speaker_rank": "ranks", "house_rank": "ranks"}
ERRORS = {
    "score_error": "mean absolute error of scores, points",
    "house_rank_difference": "mean rank difference of houses, ranks",
    "speaker_rank_difference": "mean rank difference of speakers, ranks",
}
_ERROR_NAMES = {
    "score_error": "scores",
    "house_rank_difference": "houses",
    "speaker_rank_difference": "speakers",
}


def bias(page: str, version: Version, answer: Answer) -> None:
    """Draw what judges favour, in the unit the reader chooses, and list every test.

    Args:
        page: Prefix of the state's keys.
        version: Where to read.
        answer: From `parliamentary_queries.bias`.
    """
    rows = records(answer.frame)
    st.caption(BIAS_METRIC.line)
    if not rows:
        st.markdown("No judge's values can be held against the panel's here.")
        return
    there = [one for one in OUTCOMES if any(row["outcome"] == one for row in rows)]
    outcome = choose_tab(page, "outcome", "Measured in", {one: OUTCOMES[one] for one in there})
    found = [row for row in rows if row["outcome"] == outcome and not is_missing(row["estimate"])]
    judges = list(dict.fromkeys(row["judge_id"] for row in found))
    if len(judges) > LANES_DRAWN:
        st.info(f"The chart shows {LANES_DRAWN} of {len(judges)} judges; pick others above.")
    shown = [row for row in found if row["judge_id"] in judges[:LANES_DRAWN]]
    if shown:
        draw_chart(
            verdict_charts.effects,
            pd.DataFrame([_effect_row(row) for row in shown]),
            all_looks(version, [row["judge_id"] for row in shown]),
            axis=f"favour beside the panel, {_UNITS[outcome]} (right = the judge favours it)",
            title=words.bias_title(shown, OUTCOMES[outcome]),
            note=(
                "Filled: significant after correction (adjusted p < 0.05). Hollow: not, or not "
                "tested. Lines: 95 % intervals."
            ),
            tooltips=["judge", "compared", "effect", "adjusted p", "n"],
        )
    else:
        st.markdown("No effect is known here; the table says what was missing.")
    _bias_table(answer, rows)


def _effect_row(row: Row) -> dict[str, object]:
    said = _signed_estimate(row)
    name = EFFECTS.get(row["effect"], row["effect"])
    return {
        "label": f"{name}\n{row['contrast']}",
        "judge_id": row["judge_id"],
        "value": row["estimate"],
        "low": row["estimate_low"],
        "high": row["estimate_high"],
        "mark": "significant" if words.is_significant(row) else "not significant",
        "judge": row["judge_id"],
        "compared": f"{name}: {row['contrast']}",
        "effect": f"{said} {_UNITS[row['outcome']]}",
        "adjusted p": p_value(row["p_adjusted"], adjusted=True),
        "n": f"{plural(int(row['n_units']), 'debate')}, {count(row['n_answers'])} answers",
    }


def _signed_estimate(row: Row) -> str:
    band = interval(row["estimate_low"], row["estimate_high"])
    return f"{signed(row['estimate'])} {band}".strip()


def _bias_table(answer: Answer, rows: Sequence[Row]) -> None:
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "favours": [EFFECTS.get(row["effect"], row["effect"]) for row in rows],
                "compared": [row["contrast"] for row in rows],
                "in": [OUTCOMES.get(row["outcome"], row["outcome"]) for row in rows],
                "effect": [row["estimate"] for row in rows],
                "95 % interval": [
                    interval(row["estimate_low"], row["estimate_high"]) or None for row in rows
                ],
                "adjusted p": [p_cell(row["p_adjusted"]) for row in rows],
                "p": [p_cell(row["p"]) for row in rows],
                "t": [row["statistic"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "answers": [row["n_answers"] for row in rows],
                "left out": [row["left_out_count"] for row in rows],
                "in words": [row["finding"] for row in rows],
                "why unknown": [row["null_reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("effect", "t"), ANY_SIZE),
        raw=answer,
        name="parliamentary_bias",
        height=380 if len(rows) > 9 else None,
    )


def context(page: str, version: Version, answer: Answer) -> None:
    """Draw errors against tokens in context, for the task the reader chooses."""
    rows = records(answer.frame)
    st.caption(
        "Long debates may be hard for other reasons than their length: this is no experiment."
    )
    if not rows:
        st.markdown("No judge's tokens were counted on debates with an official result.")
        return
    if not any(int(row["n_units"]) for row in rows):
        _no_tokens(rows)
        return
    there = [one for one in ERRORS if any(row["measure"] == one for row in rows)]
    measure = choose_tab(page, "error", "Error of", {one: _ERROR_NAMES[one] for one in there})
    mine = [row for row in rows if row["measure"] == measure]
    bins = [row for row in mine if row["part"] == "bin" and not is_missing(row["value"])]
    judges = list(dict.fromkeys(row["judge_id"] for row in bins))[:LANES_DRAWN]
    drawn = [row for row in bins if row["judge_id"] in judges]
    slopes = [row for row in mine if row["part"] == "slope"]
    if drawn:
        draw_chart(
            parliamentary_charts.bins,
            pd.DataFrame([_bin_row(row) for row in drawn]),
            all_looks(version, judges),
            axis=f"{ERRORS[measure]} (lower = better)",
            title=_slope_title(slopes),
            note="Each point: debates of like length. Lines: 95 % intervals.",
        )
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "error of": [_ERROR_NAMES.get(row["measure"], row["measure"]) for row in rows],
                "what": [
                    "added by 10,000 tokens" if row["part"] == "slope" else f"bin {row['bin']}"
                    for row in rows
                ],
                "value": [row["value"] for row in rows],
                "95 % interval": [
                    interval(row["value_low"], row["value_high"]) or None for row in rows
                ],
                "mean tokens": [row["tokens_mean"] for row in rows],
                "tokens are": [row["tokens_kind"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "answers": [row["n_answers"] for row in rows],
                "why unknown": [row["null_reason"] for row in rows],
            }
        ),
        formats={"value": ANY_SIZE, "mean tokens": "%.0f"},
        raw=answer,
        name="context_length",
        height=320 if len(rows) > 8 else None,
    )


def _no_tokens(rows: Sequence[Row]) -> None:
    """Say why no error can be set against a length, and what changes that."""
    uncounted = sum(int(row["no_tokens_count"]) for row in rows)
    if uncounted:
        st.markdown(
            f"Error cannot be set against length here: {plural(uncounted, 'readable value')} came "
            "without a count of tokens. Simulated judges read no tokens; a model's are counted "
            "when it judges:"
        )
    else:
        st.markdown(
            "Error cannot be set against length here: no reply could be read on a debate with an "
            "official result. This judges the debates:"
        )
    st.code("rostrum run bp-adjudication --judge MODEL\nrostrum build", language="shell")


def _bin_row(row: Row) -> dict[str, object]:
    said = estimate(row["value"], row["value_low"], row["value_high"])
    return {
        "judge_id": row["judge_id"],
        "tokens": row["tokens_mean"],
        "value": row["value"],
        "low": row["value_low"],
        "high": row["value_high"],
        "hover": f"{row['judge_id']}: {said}, {plural(int(row['n_units']), 'debate')}, "
        f"{count(row['tokens_low'])} to {count(row['tokens_high'])} tokens",
    }


def _slope_title(rows: Sequence[Row]) -> str:
    known = [row for row in rows if not is_missing(row["value_low"])]
    if not known:
        return "Error and length: no slope has an interval"
    above = sum(bool(row["value_low"] > 0) for row in known)
    below = sum(bool(row["value_high"] < 0) for row in known)
    return (
        f"Error and length: of {plural(len(known), 'judge')}, {count(above)} clearly worse on "
        f"longer debates, {count(below)} clearly better"
    )


def faults(answer: Answer) -> None:
    """List what is wrong with replies, with one example each."""
    rows = records(answer.frame)
    if not rows:
        st.markdown("No reply breaks the stated form, and none contradicts itself.")
        return
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "fault": [FAULTS.get(row["fault"], row["fault"]) for row in rows],
                "in": [task_name(row["fault_task"]) for row in rows],
                "share": [share(row["share"], row["share_low"], row["share_high"]) for row in rows],
                "replies": [row["n"] for row in rows],
                "of": [row["n_answers"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "example": [row["example_detail"] for row in rows],
                "answer": [row["example_response_id"] for row in rows],
            }
        ),
        raw=answer,
        name="parliamentary_faults",
        height=320 if len(rows) > 8 else None,
    )


def matches(answer: Answer) -> None:
    """Show which row of results each transcript belongs to, and which found none."""
    rows = records(answer.frame)
    statuses = {row["status"]: row["status_count"] for row in rows}
    said = ", ".join(f"{count(amount)} {status}" for status, amount in statuses.items())
    st.markdown(f"Of {plural(int(rows[0]['n_rows']), 'row')}: {said}. Nothing is guessed.")
    table(
        pd.DataFrame(
            {
                "status": [row["status"] for row in rows],
                "transcript": [row["transcript"] for row in rows],
                "row of results": [row["result_row"] for row in rows],
                "why": [row["reason"] for row in rows],
                "candidates": [row["candidates"] for row in rows],
                "judged": [row["is_judged"] for row in rows],
                "debate": [row["debate_id"] for row in rows],
            }
        ),
        raw=answer,
        name="transcript_match",
        height=320 if len(rows) > 8 else None,
    )
