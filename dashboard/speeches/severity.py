"""The tab on severity: how harsh and how sharp judges are, and what calibration buys."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.core import charts
from dashboard.core.charts import point
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    Metric,
    escape_markdown,
    estimate,
    estimate_in,
    is_missing,
    number,
    plural,
    signed_in,
    speeches_on_topics,
)
from dashboard.core.naming import nameable, nobody
from dashboard.core.panels import Panel
from dashboard.core.queries import judges
from dashboard.core.selection import Selection
from dashboard.core.series import Look, looks
from dashboard.core.tables import band, formed
from dashboard.core.widgets import (
    COEFFICIENT,
    SCORE,
    draw_chart,
    headline,
    how_computed,
    in_columns,
)
from dashboard.core.words import prompt_name
from dashboard.speeches import calibration as speech_calibration
from dashboard.speeches import charts as speech_charts
from dashboard.speeches import queries as asked
from dashboard.speeches.agreement import no_judges_yet
from dashboard.speeches.findings import over_speeches
from warehouse.reader import Version

SEVERITY = Metric(
    name="shift",
    definition=(
        "The mean over speeches of the judge's score less the mean human score, in points of the "
        "scale. The spread is the standard deviation of the judge's scores over that of people's "
        "means; a single judge's scores vary more than a mean of many people's, so 1 is no neutral "
        "value. Failures are left out; with every failure at the lowest and at the highest score "
        "the shift would lie where the bounds say. Intervals (95 %) leave out one topic at a time."
    ),
    place="Figure 5 of the paper on judging debate speeches",
)
SHARPNESS = Metric(
    name="sharpness",
    definition=(
        "The slope of the judge's mean score per source on people's, every source counting alike; "
        "from three sources on. Over judges, Spearman's rank correlation says whether those that "
        "order speeches as people do (τ-c) score lower and separate more; from five judges on, "
        "ensembles left out, one judge left out at a time for the interval."
    ),
    place="Figure 5 and section 5 of the paper on judging debate speeches",
)
_TREND = {
    "shift": ("score lower", "score higher"),
    "sharpness": ("separate sources less", "separate sources more"),
    "spread_ratio": ("use less of the scale", "use more of the scale"),
}
PANELS_DRAWN = 8


def draw(version: Version, chosen: Selection) -> None:
    """Draw the tab over what is chosen on the page."""
    overall = asked.severity(version, chosen.view)
    by_source = asked.severity_by_source(version, chosen.view)
    trends = asked.trends(version, chosen.view)
    mapped = asked.calibration(version, chosen.view)
    rows = overall.rows
    headline(severity_finding(rows, trends.rows))
    if not rows:
        no_judges_yet(chosen.view)
        return
    look = looks(judges(version).frame["judge_id"])
    _shifts(rows, look)
    _sharpness(rows, look)
    _sources(by_source.rows, rows, look)
    _table.show(overall)
    speech_calibration.draw(mapped, look)
    how_computed(
        [SEVERITY, SHARPNESS, speech_calibration.CALIBRATION],
        [
            ("Severity", overall),
            ("By source", by_source),
            ("Over judges", trends),
            ("Calibration", mapped),
        ],
    )


def severity_finding(rows: Sequence[Row], trends: Sequence[Row]) -> Finding:
    """Return who is harshest, and whether better judges are harsher and sharper.

    Args:
        rows: Judges of `rpt_severity`, the harshest first.
        trends: Rows of `rpt_severity_trend`.
    """
    known = [row for row in rows if not is_missing(row["shift"])]
    if not known:
        return Finding("How harsh a judge is cannot be said here: none has scored a rated speech.")
    named = nameable(known, "n_items", "n_units")
    harsher = sum(not is_missing(row["shift_high"]) and row["shift_high"] < 0 for row in known)
    judges, are = plural(len(known), "judge"), "is" if 1 in (harsher, len(known)) else "are"
    several = len({row["template"] for row in trends}) > 1
    said = " ".join(trend_text(row, several=several) for row in trends if row["measure"] in _TREND)
    if not named:
        return Finding(
            f"{harsher} of {judges} {are} harsher than people; {nobody('judge')}.",
            said,
        )
    shifts = [signed_in(row, "shift") for row in (named[0], named[-1])]
    if len(named) == 1:
        who = f"{escape_markdown(named[0]['judge_id'])} scores {shifts[0]} points"
    else:
        who = f"{plural(len(named), 'judge')} score {shifts[0]} to {shifts[1]} points"
    return Finding(
        f"{who} from people's mean, {over_speeches(named)}; {harsher} of {judges} {are} harsher "
        "than people.",
        said,
    )


def trend_text(row: Row, *, several: bool) -> str:
    """Return one row of `rpt_severity_trend` as a sentence, in Markdown."""
    less, more = _TREND[row["measure"]]
    prompt = f" ({escape_markdown(row['template'])})" if several else ""
    if is_missing(row["spearman"]):
        return (
            f"Whether better judges {less if row['measure'] == 'shift' else more} is unknown"
            f"{prompt}: {escape_markdown(row['undefined_reason'])}."
        )
    low, high = row["spearman_low"], row["spearman_high"]
    numbers = estimate(row["spearman"], low, high)
    over = f"Spearman {numbers} over {plural(int(row['n_judges']), 'judge')}{prompt}"
    if is_missing(low) or low <= 0 <= high:
        wanted = less if row["measure"] == "shift" else more
        return f"Whether judges closer to people's order {wanted} cannot be told: {over}."
    return f"Judges closer to people's order {less if high < 0 else more}: {over}."


def _chart(
    rows: Sequence[Row],
    name: str,
    look: Mapping[str, Look],
    people: Mapping[str, Any] | None,
    words: Mapping[str, str],
) -> None:
    known = [row for row in rows if not is_missing(row[name])][: charts.JUDGES_DRAWN]
    if not known:
        return
    several = len({row["template"] for row in rows}) > 1
    data = []
    for row in known:
        numbers = estimate_in(row, name)
        has_bounds = name == "shift" and row["n_items_failed"] > 0
        second = f"{row['template']}: {numbers}" if several else numbers
        data.append(
            {
                "label": f"{words.get(row['judge_id'], row['judge_id'])}\n{second}",
                "judge_id": row["judge_id"],
                **point(row, name),
                "nearest": row["shift_failures_highest"] if has_bounds else None,
                "farthest": row["shift_failures_lowest"] if has_bounds else None,
                "judge": row["judge_id"],
                "prompt": prompt_name(row["template"]),
                name: numbers,
                "n": f"{plural(int(row['n_items']), 'speech', 'speeches')}, "
                f"{plural(int(row['n_units']), 'topic')}",
            }
        )
    bounded = any(one["farthest"] is not None for one in data)
    draw_chart(
        charts.agreement,
        data,
        people,
        look,
        axis=words["axis"],
        title=words["title"],
        note=words["note"] + (" Dotted: with failures at either end." if bounded else ""),
        tooltips=["judge", "prompt", name, "n"],
    )


def _shifts(rows: Sequence[Row], look: Mapping[str, Look]) -> None:
    st.subheader("Who scores lower than people?", anchor=False)
    st.caption(meaning("shift"))
    known = [row for row in rows if not is_missing(row["shift"])]
    for row in rows:
        if is_missing(row["shift"]):
            st.text(f"– {row['judge_id']}, {row['template']}: {row['undefined_reason']}")
    if known:
        spread = known[-1]["shift"] - known[0]["shift"]
        _chart(
            rows,
            "shift",
            look,
            None,
            {
                "axis": "shift in points of the scale (below 0 = harsher than people)",
                "title": (
                    f"From the harshest to the mildest judge there are {number(spread)} points"
                    if len(known) > 1
                    else f"One judge's mean less people's: {number(known[0]['shift'])} points"
                ),
                "note": "Dashed: as people. Lines: 95 % intervals.",
            },
        )


def _sharpness(rows: Sequence[Row], look: Mapping[str, Look]) -> None:
    st.subheader("Who separates sources more than people?", anchor=False)
    st.caption(meaning("sharpness"))
    known = sorted(
        (row for row in rows if not is_missing(row["sharpness"])),
        key=lambda row: -float(row["sharpness"]),
    )
    if not known:
        reason = rows[0]["sharpness_reason"] or "no slope is known"
        st.text(f"– {reason}")
        return
    more = sum(not is_missing(row["sharpness_low"]) and row["sharpness_low"] > 1 for row in known)
    _chart(
        known,
        "sharpness",
        look,
        {"value": 1.0, "low": None, "high": None},
        {
            "axis": "slope of source means on people's (above 1 = separates more)",
            "title": f"{more} of {plural(len(known), 'judge')} separate"
            f"{'s' if more == 1 else ''} sources more than people do",
            "note": "Grey: people, 1 by definition. Dashed: no separation. Lines: 95 % intervals.",
        },
    )


def _sources(by_source: Sequence[Row], rows: Sequence[Row], look: Mapping[str, Look]) -> None:
    st.subheader("By source", anchor=False)
    st.caption(
        "Shift per source, in the order of people's means: a judge that is harsh on weak sources "
        "only separates more; one that is harsh on all only scores lower."
    )
    order = [(row["judge_id"], row["template"]) for row in rows if not is_missing(row["shift"])]
    if len(order) > PANELS_DRAWN:
        st.info(f"{PANELS_DRAWN} of {len(order)} judges are drawn; pick judges to see others.")
    ends = [
        abs(float(row[name]))
        for row in by_source
        for name in ("shift", "shift_low", "shift_high")
        if (row["judge_id"], row["template"]) in order[:PANELS_DRAWN] and not is_missing(row[name])
    ]
    furthest = max(ends, default=1.0)
    for judge, template in in_columns(order[:PANELS_DRAWN], 2):
        mine = [row for row in by_source if (row["judge_id"], row["template"]) == (judge, template)]
        st.markdown(f"**{escape_markdown(judge)}**, {escape_markdown(template)}")
        _panel(mine, look, furthest)


def _panel(rows: Sequence[Row], look: Mapping[str, Look], furthest: float) -> None:
    data = [
        {
            "source": " ".join(str(row["source"]).split()),
            **point(row, "shift"),
            "hover": f"{estimate_in(row, 'shift')}, people "
            f"{number(row['human_mean'])}, " + speeches_on_topics(row),
        }
        for row in rows
        if not is_missing(row["shift"])
    ]
    if data:
        judge = look[str(rows[0]["judge_id"])]
        draw_chart(speech_charts.source_shifts, data, judge, furthest=furthest)


_table = Panel(
    "severity",
    {
        "judge": "judge_id",
        "prompt": "template",
        "shift": formed("shift", COEFFICIENT),
        "95 % interval": band("shift"),
        "spread": formed("spread_ratio", COEFFICIENT),
        "95 % interval of spread": band("spread_ratio"),
        "sharpness": formed("sharpness", COEFFICIENT),
        "95 % interval of sharpness": band("sharpness"),
        "judge's mean": formed("judge_mean", SCORE),
        "people's mean": formed("human_mean", SCORE),
        "speeches": "n_items",
        "topics": "n_units",
        "failed": "n_items_failed",
    },
    tall=None,
)
