"""What a judge favours, whether length matters to it, and what is wrong with its replies."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core.charts import point
from dashboard.core.choices import choose_tab
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    count,
    escape_markdown,
    estimate_in,
    is_missing,
    on_sides,
    p_value,
    plural,
    signed_in,
)
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed, listing, p_of, share_of
from dashboard.core.widgets import draw_chart, first_screen, in_columns
from dashboard.debates import charts as verdict_charts
from dashboard.parliamentary import charts as parliamentary_charts
from dashboard.parliamentary import findings as words
from dashboard.parliamentary.labels import BIAS_METRIC, EFFECTS, FAULTS, OUTCOMES, task_name
from dashboard.parliamentary.panels import LANES_DRAWN, PANELS_ACROSS

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


# Rows of the chart of favours, headings among them, that end on the first screen.
_EFFECT_ROWS = 18


def compared(row: Row) -> str:
    """Return what a favour compares, or what it is a slope of and along."""
    contrast = str(row["contrast"])
    if " - " in contrast:
        return contrast.replace(" - ", " against ")
    return f"{EFFECTS.get(row['effect'], row['effect'])}, {contrast}"


def _effect_row(row: Row) -> dict[str, object]:
    said = signed_in(row, "estimate")
    return {
        "label": compared(row),
        "judge_id": row["judge_id"],
        **point(row, "estimate"),
        "mark": "significant" if words.is_significant(row) else "not significant",
        "judge": row["judge_id"],
        "compared": compared(row),
        "effect": f"{said} {_UNITS[row['outcome']]}",
        "adjusted p": p_value(row["p_adjusted"], adjusted=True),
        "n": f"{plural(int(row['n_units']), 'debate')}, {count(row['n_answers'])} answers",
    }


def context(page: str, answer: Answer) -> None:
    """Draw errors against tokens in context, for the task the reader chooses."""
    rows = answer.rows
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
        st.markdown(f"**{escape_markdown(_slope_title(slopes))}**")
        st.caption(
            "Each point: debates of like length. Lines: 95 % intervals. Grey: the other judges."
        )
        points = [_bin_row(row) for row in drawn]
        for judge in in_columns(judges, PANELS_ACROSS):
            draw_chart(
                parliamentary_charts.bins,
                points,
                judge,
                axis=f"{ERRORS[measure]} (lower = better)",
            )
    listing(
        rows,
        {
            "judge": "judge_id",
            "error of": lambda row: _ERROR_NAMES.get(row["measure"], row["measure"]),
            "what": lambda row: (
                "added by 10,000 tokens" if row["part"] == "slope" else f"bin {row['bin']}"
            ),
            "value": formed("value"),
            "95 % interval": band("value"),
            "mean tokens": formed("tokens_mean", "%.0f"),
            "tokens are": "tokens_kind",
            "debates": "n_units",
            "answers": "n_answers",
            "why unknown": "null_reason",
        },
        raw=answer,
        name="context_length",
        tall=(8, 320),
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
    st.code("rostrum run bp-adjudication --judge MODEL", language="shell")


def _bin_row(row: Row) -> dict[str, object]:
    said = estimate_in(row, "value")
    return {
        "judge_id": row["judge_id"],
        "tokens": row["tokens_mean"],
        **point(row, "value"),
        "hover": f"{row['judge_id']}: {said}, {plural(int(row['n_units']), 'debate')}, "
        f"{count(row['tokens_low'])} to {count(row['tokens_high'])} tokens",
    }


def _slope_title(rows: Sequence[Row]) -> str:
    known, above, below = on_sides(rows, "value")
    if not known:
        return "Error and length: no slope has an interval"
    return (
        f"Error and length: of {plural(known, 'judge')}, {count(above)} clearly worse on "
        f"longer debates, {count(below)} clearly better"
    )


faults = Panel(
    "parliamentary_faults",
    {
        "judge": "judge_id",
        "fault": lambda row: FAULTS.get(row["fault"], row["fault"]),
        "in": lambda row: task_name(row["fault_task"]),
        "share": share_of("share"),
        "replies": "n",
        "of": "n_answers",
        "debates": "n_units",
        "example": "example_detail",
        "answer": "example_response_id",
    },
    empty="No reply breaks the stated form, and none contradicts itself.",
)


def _draw_matches(rows: Sequence[Row]) -> None:
    statuses = {row["status"]: row["status_count"] for row in rows}
    said = ", ".join(f"{count(amount)} {status}" for status, amount in statuses.items())
    st.markdown(f"Of {plural(int(rows[0]['n_rows']), 'row')}: {said}. Nothing is guessed.")


matches = Panel(
    "transcript_match",
    {
        "status": "status",
        "transcript": "transcript",
        "row of results": "result_row",
        "why": "reason",
        "candidates": "candidates",
        "judged": "is_judged",
        "debate": "debate_id",
    },
    draw=_draw_matches,
)


def _draw_bias(rows: Sequence[Row], page: str) -> None:
    there = [one for one in OUTCOMES if any(row["outcome"] == one for row in rows)]
    outcome = choose_tab(page, "outcome", "Measured in", {one: OUTCOMES[one] for one in there})
    found = [row for row in rows if row["outcome"] == outcome and not is_missing(row["estimate"])]
    judges = list(dict.fromkeys(row["judge_id"] for row in found))
    if len(judges) > LANES_DRAWN:
        st.info(f"The chart shows {LANES_DRAWN} of {len(judges)} judges; pick others above.")
    shown = [row for row in found if row["judge_id"] in judges[:LANES_DRAWN]]
    if not shown:
        st.markdown("No effect is known here; the table says what was missing.")
        return
    by_effect: dict[str, list[Row]] = {}
    for row in shown:
        by_effect.setdefault(compared(row), []).append(row)
    most = max(1, _EFFECT_ROWS // (1 + max(map(len, by_effect.values()))))
    first_screen(list(by_effect.values()), most, "effect", _draw_effects, outcome)


def _draw_effects(effects: Sequence[Sequence[Row]], outcome: str) -> None:
    shown = [row for rows in effects for row in rows]
    draw_chart(
        verdict_charts.effects,
        [_effect_row(row) for row in shown],
        axis=f"favour beside the panel, {_UNITS[outcome]} (right = the judge favours it)",
        title=words.bias_title(shown, OUTCOMES[outcome]),
    )


bias = Panel(
    "parliamentary_bias",
    {
        "judge": "judge_id",
        "compared": compared,
        "in": lambda row: OUTCOMES.get(row["outcome"], row["outcome"]),
        "effect": formed("estimate"),
        "95 % interval": band("estimate"),
        "adjusted p": p_of("p_adjusted"),
        "p": p_of("p"),
        "t": formed("statistic"),
        "debates": "n_units",
        "answers": "n_answers",
        "left out": "left_out_count",
        "favours": lambda row: EFFECTS.get(row["effect"], row["effect"]),
        "in words": "finding",
        "why unknown": "null_reason",
    },
    line=BIAS_METRIC,
    empty="No judge's values can be compared with the panel's here.",
    draw=_draw_bias,
    tall=(9, 380),
)
