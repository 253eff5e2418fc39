"""The three tasks: how far from the panel, beside what guessing gives."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.charts import agreement, point
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import (
    code_span,
    count,
    estimate_in,
    interval,
    is_missing,
    number,
    percent,
    plural,
    scaled,
    share_in,
)
from dashboard.core.naming import span
from dashboard.core.panels import Panel
from dashboard.core.tables import band, estimate_of, formed, listing, percent_of
from dashboard.core.widgets import draw_chart, figure, figure_row, in_columns
from dashboard.debates.battery import all_looks
from dashboard.parliamentary import charts
from dashboard.parliamentary import findings as words
from dashboard.parliamentary.labels import (
    BASELINES,
    CONTRADICTIONS,
    FAULT_METRIC,
    HOUSE_METRIC,
    HOUSE_RANKS,
    RANK_METRIC,
    SCORE_METRIC,
    SPEAKER_RANKS,
    SPEAKER_SCORES,
    measure_name,
    task_name,
)
from warehouse.reader import Version

PANELS_DRAWN, LANES_DRAWN, PANELS_ACROSS = 6, 8, 3
METRICS = {HOUSE_RANKS: HOUSE_METRIC, SPEAKER_SCORES: SCORE_METRIC, SPEAKER_RANKS: RANK_METRIC}
# Points within which a score is called near the official one in the title of the curve.
_NEAR = 2
_AXES = {
    HOUSE_RANKS: "mean rank difference of houses, ranks (lower = closer to the panel)",
    SPEAKER_SCORES: "mean absolute error, points (lower = closer to the panel)",
    SPEAKER_RANKS: "mean rank difference of speakers, ranks (lower = closer to the panel)",
}
_TITLES = {
    HOUSE_RANKS: "Ranking of houses",
    SPEAKER_SCORES: "Speaker scores",
    SPEAKER_RANKS: "Ranking of speakers",
}
# Of scores, an even guess between 50 and 100 is so far off that it would hide all differences.
_LINES = {
    HOUSE_RANKS: ("uniform_random", "speaking_order"),
    SPEAKER_SCORES: ("always_mean", "speaking_order"),
    SPEAKER_RANKS: ("uniform_random", "speaking_order"),
}
_SHORT = {
    "uniform_random": "guessing",
    "always_mean": "always the mean",
    "speaking_order": "speaking order",
}


def figures(
    rows: Sequence[Row], guesses: Sequence[Row], statuses: Sequence[Row], faults: Sequence[Row]
) -> None:
    """Show at most four figures: one a task, and what could not be read or contradicts itself."""
    with figure_row():
        for task in words.LEADING:
            label, value, note = words.leading_figure(rows, guesses, task)
            figure(label, value, note, METRICS[task].line)
        replies = sum(int(row["reply_count"]) for row in statuses)
        unread = sum(int(row["unparsed_count"]) for row in statuses)
        partly = sum(int(row["partly_count"]) for row in statuses)
        against = sum(int(row["n"]) for row in faults if row["fault"] in CONTRADICTIONS)
        figure(
            "Not readable",
            f"{count(unread)} of {count(replies)}",
            f"replies; {count(partly)} more in part · {plural(against, 'contradiction')} between "
            f"ranking and scores · {plural(len(statuses), 'judge')}",
            FAULT_METRIC.line,
        )


def errors(version: Version, rows: Sequence[Row], guesses: Sequence[Row], task: str) -> None:
    """Draw the leading measure of a task, every judge a row, beside guesses and one panellist."""
    measure = words.LEADING[task][0]
    mine = words.of(rows, task, measure)
    found = words.known(mine)[: 2 * LANES_DRAWN]
    if not found:
        st.markdown(f"No {measure_name(measure)} is known here; the table below says why.")
        return
    most = max(found, key=lambda row: int(row["n_units"]))
    lines = [
        (_SHORT[baseline], float(row["value"]))
        for baseline in _LINES[task]
        if (row := words.guess(guesses, task, baseline, most)) is not None
    ]
    panellist = words.guess(guesses, task, "human_adjudicator", most)
    people = panellist and point(panellist, "value")
    title = (
        f"Mean absolute error of {plural(len(found), 'judge')}: "
        f"{span([float(row['value']) for row in found], number)} points"
        if task == SPEAKER_SCORES
        else words.beside_chance_title(found, _TITLES[task])
    )
    band = "" if people is None else " Grey band: one adjudicator against the rest of the panel."
    draw_chart(
        agreement,
        [_error_row(row) for row in found],
        people,
        all_looks(version, [row["judge_id"] for row in found]),
        lines=lines,
        who="a panellist",
        tooltips="value",
        axis=_AXES[task],
        title=title,
        note=f"Lines: 95 % intervals; thin dashes: failures at their best and worst.{band}",
    )
    st.caption(
        f"Guesses are on the {plural(int(most['n_units']), 'debate')} that "
        f"{code_span(most['judge_id'])} was read on."
    )
    if len(words.known(mine)) > len(found):
        st.info(f"The chart shows the {len(found)} closest judges; the table has all.")
    for row in mine:
        if said := words.bounds(row):
            st.markdown(said)
        if is_missing(row["value"]) and not is_missing(row["null_reason"]):
            st.text(f"– {row['judge_id']}: {row['null_reason']}")


def _error_row(row: Row) -> dict[str, object]:
    said = estimate_in(row, "value")
    n = plural(int(row["n_units"]), "debate")
    return {
        "label": f"{row['judge_id']}\n{said}, {n}",
        "judge_id": row["judge_id"],
        **point(row, "value"),
        "nearest": row["value_if_best"] if row["failed_count"] else None,
        "farthest": row["value_if_worst"] if row["failed_count"] else None,
        "hover": f"{said}, {n}, {count(row['n_answers'])} requests",
    }


def tolerance(answer: Answer) -> None:
    """Draw the tolerance curve of each judge, with what guesses reach."""
    rows = [row for row in answer.rows if not is_missing(row["share"])]
    judges = list(dict.fromkeys(row["judge_id"] for row in rows))
    if not rows:
        st.markdown("No score can be compared with an official one here.")
        return
    drawn = judges[:LANES_DRAWN]
    if len(judges) > len(drawn):
        st.info(f"The chart shows {len(drawn)} of {len(judges)} judges; pick others above.")
    shown = [row for row in rows if row["judge_id"] in drawn]
    st.markdown(f"**{_tolerance_title(shown)}**")
    st.caption(
        "Without reading a word: dashed, the mean of the other debates; dotted, what each place in "
        "the speaking order gets in them. Lines: 95 % intervals. Grey: the other judges."
    )
    points = [
        {
            "judge_id": row["judge_id"],
            "tolerance": row["tolerance"],
            **point(row, "share", 100),
            "hover": f"{row['judge_id']}, within {count(row['tolerance'])}: "
            f"{share_in(row, 'share')}, "
            f"{plural(int(row['n_units']), 'debate')}, {count(row['n_values'])} scores",
        }
        for row in shown
    ]
    for judge in in_columns(drawn, PANELS_ACROSS):
        draw_chart(charts.tolerance, points, _guesses(shown), judge)


def _tolerance_title(rows: Sequence[Row]) -> str:
    near = [row for row in rows if row["tolerance"] == _NEAR]
    if not near:
        return "Scores near the official one, by judge"
    shares = span([float(row["share"]) for row in near], percent)
    return (
        f"Within {_NEAR} points of the official score: {shares} of the scores of "
        f"{plural(len(near), 'judge')}"
    )


def _guesses(rows: Sequence[Row]) -> pd.DataFrame:
    """Return both guesses on the debates of the judge that was read on most of them."""
    most = max(rows, key=lambda row: int(row["n_units"]))["setting_id"]
    mine = [row for row in rows if row["setting_id"] == most]
    return pd.DataFrame(
        [
            {"guess": name, "tolerance": row["tolerance"], "value": scaled(row[column])}
            for name, column in (
                ("always the mean", "always_mean_share"),
                ("speaking order", "speaking_order_share"),
            )
            for row in mine
            if not is_missing(row[column])
        ],
        columns=["guess", "tolerance", "value"],
    )


def confusion(answer: Answer) -> None:
    """Draw one table of ranks per judge: the panel's against the judge's."""
    rows = answer.rows
    judges = list(dict.fromkeys(row["judge_id"] for row in rows))
    if not judges:
        return
    st.markdown("**Which rank does it give to the houses of each official rank?**")
    st.caption(
        "Each row adds up to 100 %. Right answers lie on the diagonal; guessing fills "
        "every cell with 25 %."
    )
    _cells(judges, [row for row in rows if not is_missing(row["share"])])
    listing(
        rows,
        {
            "judge": "judge_id",
            "official rank": "official_rank",
            "judge's rank": "predicted_rank",
            "share (%)": percent_of("share"),
            "95 % interval": band("share", 100),
            "rankings": "n",
            "debates": "n_units",
            "why unknown": "null_reason",
        },
        raw=answer,
        name="house_confusion",
        tall=(0, 220),
    )


def _cells(judges: Sequence[str], rows: Sequence[Row]) -> None:
    grid(judges)
    for judge in in_columns(judges[:PANELS_DRAWN], PANELS_ACROSS):
        cells = [
            {
                "official": int(row["official_rank"]),
                "predicted": int(row["predicted_rank"]),
                "share": scaled(row["share"]),
                "text": f"{percent(row['share'])}\n{count(row['n'])}",
                "hover": f"{share_in(row, 'share')}, "
                f"{count(row['n'])} of {plural(int(row['n_answers']), 'ranking')}, "
                f"{plural(int(row['n_units']), 'debate')}",
            }
            for row in rows
            if row["judge_id"] == judge
        ]
        if cells:
            draw_chart(charts.confusion, cells, title=judge)


def grid(judges: Sequence[str]) -> None:
    """Say when there are more judges than panels."""
    if len(judges) > PANELS_DRAWN:
        st.info(f"{PANELS_DRAWN} of {len(judges)} judges are drawn; pick others above.")


def scatter(answer: Answer) -> None:
    """Draw given against official scores, one panel per judge, with the line of equality."""
    rows = answer.rows
    judges = list(dict.fromkeys(row["judge_id"] for row in rows))
    if not judges:
        return
    st.markdown("**Which scores does it give, and which did the panel give?**")
    st.caption(
        "To half a point; larger points stand for more speeches. On the dashed line both are the "
        "same: above it the judge is more generous, below it harsher."
    )
    grid(judges)
    values = [float(row[name]) for row in rows for name in ("official", "given")]
    domain = (max(0.0, min(values) - 2), max(values) + 2)
    for judge in in_columns(judges[:PANELS_DRAWN], PANELS_ACROSS):
        mine = [row for row in rows if row["judge_id"] == judge]
        speeches = sum(int(row["speech_count"]) for row in mine)
        draw_chart(
            charts.scores,
            pd.DataFrame(mine)[["official", "given", "speech_count"]],
            domain=domain,
            title=f"{judge} ({plural(speeches, 'score')})",
        )


measures = Panel(
    "parliamentary_measures",
    {
        "judge": "judge_id",
        "task": lambda row: task_name(row["about"]),
        "measure": lambda row: measure_name(row["measure"]),
        "value": formed("value"),
        "95 % interval": band("value"),
        "guessing": formed("by_chance"),
        "minus guessing": estimate_of("minus_chance"),
        "better": "better",
        "debates": "n_units",
        "requests": "n_answers",
        "with failures": "failed_count",
        "failures at best and worst": lambda row: (
            interval(row["value_if_best"], row["value_if_worst"]) or None
        ),
        "why unknown": "null_reason",
    },
    tall=(9, 380),
)


guessing = Panel(
    "parliamentary_guessing",
    {
        "task": lambda row: task_name(row["task"]),
        "on the debates read by": lambda row: (
            "all with a result" if is_missing(row["judges"]) else row["judges"]
        ),
        "guess": lambda row: BASELINES.get(row["baseline"], row["baseline"]),
        "measure": lambda row: measure_name(row["measure"]),
        "value": formed("value"),
        "95 % interval": band("value"),
        "better": "better",
        "debates": "n_units",
        "why unknown": "null_reason",
    },
    empty="No debate of this data set has an official result.",
)
