"""The tab on the crowd: how many people a judge is worth, and what people are like."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard.core import charts, queries
from dashboard.core.charts import point
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    Metric,
    count,
    escape_markdown,
    estimate_in,
    interval,
    is_missing,
    number,
    plural,
    speeches_on_topics,
)
from dashboard.core.naming import nameable, nobody, untold, whose
from dashboard.core.panels import Panel
from dashboard.core.selection import Selection
from dashboard.core.series import looks
from dashboard.core.tables import band, formed
from dashboard.core.widgets import (
    COEFFICIENT,
    draw_chart,
    figure,
    figure_row,
    headline,
    how_computed,
)
from dashboard.core.words import prompt_name
from dashboard.speeches import charts as speech_charts
from dashboard.speeches import queries as crowd
from dashboard.speeches.agreement import no_judges_yet
from dashboard.speeches.crowd import people
from dashboard.speeches.findings import over_speeches
from warehouse.reader import Version

WORTH = Metric(
    name="people one judge is worth",
    measure="worth",
    definition=(
        "Of each speech eight raters are drawn as the reference. The mean of k of the others is "
        "correlated (Pearson) with the reference's mean, for k from 1 as far as there are raters, "
        "at most 7; so is the judge. A judge is worth the k that correlates as it does, "
        "interpolated on a line between two numbers. Everything is averaged over 100 seeded draws "
        "of who is who. Beyond the largest measured k, Spearman and Brown's formula for parallel "
        "raters goes on from it, and the value is marked extrapolated. Intervals (95 %) redraw "
        "topics, the curve and the judge in the same resamples."
    ),
    place="Not in the papers",
)


def draw(version: Version, chosen: Selection) -> None:
    """Draw the tab over what is chosen on the page."""
    worth = crowd.worth(version, chosen.view)
    curve = crowd.curve(version, chosen.view)
    agreed = crowd.agreement(version, chosen.view)
    raters = crowd.raters(version, chosen.view)
    lines, judges = curve.rows, worth.rows
    headline(worth_finding(judges, lines))
    _figures(judges, lines, agreed.rows)
    if not judges:
        no_judges_yet(chosen.view)
    _curve(version, judges, lines)
    _worth.show(worth)
    people.reliability(agreed)
    people.harshness(raters.rows)
    people.raters_table(raters)
    how_computed(
        [WORTH, people.RELIABILITY, people.HARSHNESS],
        [
            ("People one judge is worth", worth),
            ("Agreement by number of raters", curve),
            ("Agreement of the crowd", agreed),
            ("Each person", raters),
        ],
    )


def worth_text(row: Row, name: str = "worth") -> str:
    """Return how many people a judge is worth, in words where it is no number.

    Args:
        row: A row of `rpt_judge_worth`.
        name: Column: the value, or an end of its interval.
    """
    status = row[f"{name}_status"]
    measured = row["n_raters_measured"]
    words = {
        "less_than_one": "less than one",
        "more_than_any": "more than any number",
        "more_than_measured": f"more than {count(measured)}",
    }
    return words.get(str(status), number(row[name]))


def worth_interval(row: Row) -> str:
    """Return the interval of what a judge is worth; empty where there is none."""
    if is_missing(row["worth_low_status"]) or is_missing(row["worth_high_status"]):
        return ""
    if row["worth_low_status"] == row["worth_high_status"] == "less_than_one":
        return "[all below one]"
    return f"[{worth_text(row, 'worth_low')}, {worth_text(row, 'worth_high')}]"


def _mark(row: Row) -> str:
    return " (extrapolated)" if row["worth_status"] == "extrapolated" else ""


def worth_finding(judges: Sequence[Row], lines: Sequence[Row]) -> Finding:
    """Return how many people the best judge is worth, or what people alone show.

    Args:
        judges: Rows of `rpt_judge_worth`, the best first.
        lines: Rows of `rpt_rater_count`.
    """
    known = [row for row in judges if not is_missing(row["correlation"])]
    first = next((row for row in lines if row["n_raters"] == 1), None)
    if first is None or is_missing(first["correlation"]):
        reason = first["undefined_reason"] if first else "nobody has rated these speeches"
        return Finding(
            f"How many people a judge is worth cannot be said here: {escape_markdown(reason)}."
        )
    own = estimate_in(first, "correlation")
    alone = f"One person's score correlates with the mean of eight others: r {own}"
    if not known:
        return Finding(f"{alone}.")
    named = nameable(known, "n_items", "n_units")
    few = sum(row["worth_status"] == "less_than_one" for row in known)
    if not named:
        return Finding(
            f"{alone}.",
            f"{plural(few, 'judge is', 'judges are')} worth less than one "
            f"person; {nobody('judge')}.",
        )
    best = named[0]
    noun = "people" if best["worth_status"] != "less_than_one" else "person"
    worth = f"{worth_text(best)} {noun} {worth_interval(best)}{_mark(best)}"
    below = f"{plural(few, 'judge is', 'judges are')} worth less than one person."
    if len(named) == 1:
        return Finding(
            f"{escape_markdown(best['judge_id'])} is worth {worth}, {over_speeches(named)}.",
            f"{_with_failures(best)}{alone}. {below}",
        )
    failing = sum(_bounds(row) is not None for row in named)
    bounds = (
        f"⚠ Failures of {plural(failing, 'judge')} are left out; the table has the worth with "
        "them counted at their worst and at their best. "
    )
    lowest = worth_text(named[-1])
    least = "" if lowest == worth_text(best) else f"{lowest} to "
    return Finding(
        f"{plural(len(named), 'judge')} are worth {least}{worth}, "
        f"{over_speeches(named)}; {untold('judge')}.",
        f"{bounds if failing else ''}{alone}. {below}",
    )


def _with_failures(row: Row) -> str:
    if (ends := _bounds(row)) is None:
        return ""
    return f"⚠ With its failures counted at their worst and at their best: {ends}. "


def _figures(judges: Sequence[Row], lines: Sequence[Row], agreed: Sequence[Row]) -> None:
    with figure_row():
        known = [row for row in judges if not is_missing(row["correlation"])]
        if named := nameable(known, "n_items", "n_units"):
            best = named[0]
            figure(
                "People a judge is worth" if len(named) == 1 else "Most people a judge is worth",
                worth_text(best),
                f"{whose(best, named)} · {worth_interval(best)}{_mark(best)} · "
                f"{speeches_on_topics(best)}",
                WORTH.line,
            )
        else:
            why = nobody("judge") if known else "unknown: the table says why"
            why = why if judges else "no judge here yet"
            figure("People a judge is worth", number(None), why, WORTH.line)
        one = next((row for row in lines if row["n_raters"] == 1), None)
        _figure(
            "One person's r",
            one,
            "correlation",
            "correlation_low",
            "correlation_high",
            meaning("rater_count_correlation"),
        )
        for measure, label in (("alpha_interval", "Krippendorff's α"), ("icc_k", "ICC(1,k)")):
            row = next((one for one in agreed if one["measure"] == measure), None)
            _figure(label, row, "value", "low", "high", meaning(f"crowd_{measure}"))


def _figure(label: str, row: Row | None, value: str, low: str, high: str, line: str) -> None:
    if row is None or is_missing(row[value]):
        reason = row["undefined_reason"] if row else "nobody has rated these speeches"
        figure(label, number(None), f"unknown: {escape_markdown(reason)}", line)
        return
    note = f"{interval(row[low], row[high])} · {plural(int(row['n_items']), 'speech', 'speeches')}"
    figure(label, number(row[value]), note, line)


def _curve(version: Version, judges: Sequence[Row], lines: Sequence[Row]) -> None:
    st.subheader("How many people is a judge worth?", anchor=False)
    st.caption(WORTH.line)
    points = [row for row in lines if not is_missing(row["correlation"])]
    if not points:
        return
    placed = [row for row in judges if not is_missing(row["correlation"])]
    drawn = placed[: charts.JUDGES_DRAWN]
    if len(placed) > len(drawn):
        st.info(f"The chart shows the {len(drawn)} highest of {len(placed)}; the table has all.")
    draw_chart(
        speech_charts.worth,
        [_point(row) for row in points],
        _places(drawn, points),
        looks(queries.judges(version).frame["judge_id"]),
        title=curve_title(points),
        note="Grey: the mean of k people with 95 % intervals; dashed: extrapolated. Left of 1 and "
        f"right of {int(points[-1]['n_raters'])}: off the curve.",
    )
    for row in judges:
        if is_missing(row["correlation"]):
            st.text(
                f"– {row['judge_id']}, {prompt_name(row['template'])}: {row['undefined_reason']}"
            )
    left_out = int(points[0]["n_items_left_out"])
    if left_out:
        st.caption(
            f"{plural(left_out, 'speech', 'speeches')} with too few raters left out; "
            f"{count(points[0]['n_items'])} count."
        )


def _point(row: Row) -> dict[str, Any]:
    said = estimate_in(row, "correlation")
    how = ", extrapolated" if row["is_extrapolated"] else ""
    return {
        "k": row["n_raters"],
        **point(row, "correlation"),
        "is_extrapolated": bool(row["is_extrapolated"]),
        "hover": f"mean of {plural(int(row['n_raters']), 'person', 'people')}: r {said}{how}, "
        + speeches_on_topics(row),
    }


def _places(rows: Sequence[Row], points: Sequence[Row]) -> list[dict[str, Any]]:
    """Where judges stand: on the curve, or at its edge where they are worth no number."""
    last = max(int(point["n_raters"]) for point in points)
    below = [row for row in rows if row["worth_status"] == "less_than_one"]
    places = []
    for row in rows:
        if row in below:
            # Side by side: how far left says nothing.
            place = 1 - (1 + below.index(row)) / (1 + len(below))
        else:
            is_off = is_missing(row["worth"]) or float(row["worth"]) > last
            place = last + 0.5 if is_off else float(row["worth"])
        said = estimate_in(row, "correlation")
        places.append(
            {
                "judge_id": row["judge_id"],
                "k": place,
                **point(row, "correlation"),
                "hover": f"{row['judge_id']}, {prompt_name(row['template'])}: r {said}, worth "
                f"{worth_text(row)} {worth_interval(row)}{_mark(row)}, " + speeches_on_topics(row),
            }
        )
    return places


def curve_title(points: Sequence[Row]) -> str:
    """Return what the curve of people shows, as one sentence."""
    measured = [row for row in points if not row["is_extrapolated"]]
    first, last = measured[0], measured[-1]
    return (
        f"One person correlates {number(first['correlation'])} with eight others, the mean of "
        f"{int(last['n_raters'])} people {number(last['correlation'])}"
    )


def _bounds(row: Row) -> str | None:
    ends = [row["worth_farthest"], row["worth_nearest"]]
    return None if all(map(is_missing, ends)) else " / ".join(str(one) for one in ends)


_worth = Panel(
    "judge_worth",
    {
        "judge": "judge_id",
        "prompt": "template",
        "worth, people": lambda row: (
            f"{worth_text(row)}{_mark(row)}" if not is_missing(row["correlation"]) else None
        ),
        "95 % interval": lambda row: worth_interval(row) or None,
        "r with eight people": formed("correlation", COEFFICIENT),
        "95 % interval of r": band("correlation"),
        "τ-c with eight people": formed("tau_c", COEFFICIENT),
        "95 % interval of τ-c": band("tau_c"),
        "failures farthest / nearest": _bounds,
        "speeches": "n_items",
        "topics": "n_units",
        "why not": "undefined_reason",
    },
    may_be_absent=True,
    tall=None,
)
