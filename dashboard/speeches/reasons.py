"""The tab on reasons: what changes where a judge gives its reasons before the score."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from dashboard.core import charts, queries
from dashboard.core.findings import Finding, Row
from dashboard.core.labels import (
    KAPPA,
    TAU_C,
    UNPARSED_LIMIT,
    Metric,
    escape_markdown,
    estimate,
    estimate_in,
    interval_in,
    is_missing,
    judge_name,
    number,
    percent,
    plural,
)
from dashboard.core.naming import nameable, whose
from dashboard.core.panels import Panel
from dashboard.core.selection import Selection
from dashboard.core.series import looks
from dashboard.core.tables import band, estimate_of, formed
from dashboard.core.widgets import (
    draw_chart,
    figure,
    figure_row,
    headline,
    how_computed,
    side_by_side,
)
from dashboard.speeches import queries as effects
from dashboard.speeches.findings import over_speeches
from warehouse.reader import Version

EFFECT = Metric(
    name="with reasons − without",
    measure="justification_effect_difference",
    definition=(
        "Two prompts of the same wording, one of which asks for reasons before the score. A "
        "judge's answers to both are compared on the speeches it answered under both. κ: people "
        "are redrawn, the same draws for both prompts, and speeches stay: the interval says what "
        "other people would find in these speeches, not what other speeches would show, and even "
        "a judge that answers at random may leave 0 outside of it. τ-c: one motion at a time is "
        "left out of both. Mean score, unreadable answers, tokens and cost: differences speech by "
        "speech, with the motion as the unit. Intervals are 95 %. Unreadable answers are left out "
        "of agreement and of the mean score; the bounds put each at its best with one prompt and "
        "at its worst with the other."
    ),
    place="Figures 3 and 11 of the paper on judging debate speeches",
)


class _Kind(NamedTuple):
    """One measure: its tab, its axis with direction, and how its numbers read."""

    measure: str
    tab: str
    axis: str
    scale: float = 1.0


_KINDS = (
    _Kind("tau_c", "Same order? (τ-c)", "τ-c with reasons − without (right = agrees more)"),
    _Kind("kappa", "Same scores? (mean κ)", "κ with reasons − without (right = agrees more)"),
    _Kind("score", "Score shift", "mean score with reasons − without (left = harsher)"),
    _Kind(
        "unparsed_share",
        "Unreadable answers",
        "percentage points with reasons − without (left = fewer unreadable)",
        100.0,
    ),
)


def draw(version: Version, chosen: Selection) -> None:
    """Draw the tab over what is chosen on the page."""
    answer = effects.justification_effects(version, chosen.view)
    rows = answer.rows
    headline(reasons_finding(rows))
    if not rows:
        st.markdown("Have a judge answer with both prompts:")
        st.code(
            "rostrum run speech-score --judge JUDGE\n"
            "rostrum run speech-score-justified --judge JUDGE",
            language="shell",
        )
        return
    _figures(rows)
    side_by_side(_differences, {kind.tab: (version, rows, kind) for kind in _KINDS})
    _table.show(answer)
    how_computed([EFFECT, TAU_C, KAPPA], [("Reasons first or not", answer)])


def reasons_finding(rows: Sequence[Row]) -> Finding:
    """Return for how many judges reasons change agreement, by κ and by τ-c, and for whom most.

    Args:
        rows: Rows of `rpt_justification_effect`.
    """
    taus = [row for row in rows if row["measure"] == "tau_c"]
    if not taus:
        return Finding("No chosen judge has answered with reasons and without them.")
    known = [row for row in taus if not is_missing(row["difference"])]
    failing = [
        row
        for row in rows
        if row["measure"] == "unparsed_share"
        and not is_missing(row["justified_value"])
        and max(row["plain_value"], row["justified_value"]) > UNPARSED_LIMIT
    ]
    warning = (
        f" (⚠ unreadable answers pass {percent(UNPARSED_LIMIT)} for "
        f"{plural(len(failing), 'judge')})"
        if failing
        else ""
    )
    changes = [
        f"by {name} {_sides(own)} of {plural(len(own), 'judge')}"
        for name, measure in (("κ", "kappa"), ("τ-c", "tau_c"))
        if (own := _with_difference(rows, measure))
    ]
    text = (
        f"Asking for reasons first changes agreement with people: {'; '.join(changes)}{warning}."
        if changes
        else f"Whether reasons change agreement with people is not known{warning}."
    )
    named = nameable(known, "n_items", "n_units")
    if not named:
        return Finding(text)
    most = max(named, key=lambda row: abs(row["difference"]))
    size = estimate_in(most, "difference")
    who = f" is {_name(most, taus)}:" if len(named) == 1 else f" of {plural(len(named), 'judge')}:"
    return Finding(text, f"The largest change{who} τ-c {_signed(size)}, {over_speeches([most])}.")


def _side(row: Row) -> int:
    """1 or -1 where the whole interval lies above or below 0, else 0."""
    if is_missing(row["difference_low"]):
        return 0
    return int(row["difference_low"] > 0) - int(row["difference_high"] < 0)


def _sides(rows: Sequence[Row]) -> str:
    """Return for how many judges a measure is higher or lower with reasons, and the others."""
    up, down = (sum(_side(row) == side for row in rows) for side in (1, -1))
    return f"higher for {up}, lower for {down}, cannot tell for {len(rows) - up - down}"


def _with_difference(rows: Sequence[Row], measure: str) -> list[Row]:
    return [row for row in rows if row["measure"] == measure and not is_missing(row["difference"])]


def _signed(text: str) -> str:
    return text if text.startswith(("−", "–")) or text == "0" else f"+{text}"


def _name(row: Row, rows: Sequence[Row]) -> str:
    several = len({each["template_plain"] for each in rows}) > 1
    prompt = f" ({row['template_plain']})" if several else ""
    return escape_markdown(f"{row['judge_id']}{prompt}")


def _figures(rows: Sequence[Row]) -> None:
    with figure_row():
        for label, measure in (
            ("Largest change of τ-c", "tau_c"),
            ("Largest change of κ", "kappa"),
            ("Largest score shift", "score"),
            ("Most tokens, × without", "tokens_out"),
        ):
            name = "ratio" if measure == "tokens_out" else "difference"
            own = [row for row in rows if row["measure"] == measure]
            known = [row for row in own if not is_missing(row[name])]
            if not known:
                why = own[0]["reason"] if own else None
                figure(label, number(None), escape_markdown(why or "not known"), EFFECT.line)
                continue
            lead = max(known, key=lambda row: abs(row[name]))
            value = number(lead[name])
            what = interval_in(lead, name) or "no interval"
            speeches = plural(int(lead["n_items"]), "speech", "speeches")
            figure(
                label,
                value if name == "ratio" else _signed(value),
                f"{whose(lead, known)} · {what} · {speeches}",
                EFFECT.line,
            )


def _differences(version: Version, rows: Sequence[Row], kind: _Kind) -> None:
    own = [row for row in rows if row["measure"] == kind.measure]
    known = _with_difference(rows, kind.measure)
    several = len({row["template_plain"] for row in own}) > 1
    drawn = known[: charts.JUDGES_DRAWN]
    if len(known) > len(drawn):
        st.info(f"The chart shows {len(drawn)} of {len(known)}; the table below has all.")
    if drawn:
        title = f"With reasons: {_sides(known)} of {plural(len(known), 'judge')}"
        _chart(version, drawn, kind, several, title)
    without: dict[str, list[str]] = {}
    for row in own:
        name = judge_name(row["judge_id"]) + (f" ({row['template_plain']})" if several else "")
        if is_missing(row["difference"]):
            without.setdefault(f"not known, {row['reason']}", []).append(name)
        elif is_missing(row["difference_low"]):
            without.setdefault(f"no interval, {row['reason']}", []).append(name)
    for reason, names in without.items():
        st.text(f"– {reason}: {', '.join(names)}")


def _chart(version: Version, drawn: Sequence[Row], kind: _Kind, several: bool, title: str) -> None:
    data = []
    for row in drawn:
        value, low, high = (
            None if is_missing(row[name]) else row[name] * kind.scale
            for name in ("difference", "difference_low", "difference_high")
        )
        numbers = _signed(estimate(value, low, high))
        second = f"{row['template_plain']}: {numbers}" if several else numbers
        data.append(
            {
                "label": f"{judge_name(row['judge_id'])}\n{second}",
                "judge_id": row["judge_id"],
                "value": value,
                "low": low,
                "high": high,
                "nearest": row["difference_failures_high"],
                "farthest": row["difference_failures_low"],
                "judge": judge_name(row["judge_id"]),
                "without": number(row["plain_value"] * kind.scale),
                "with reasons": number(row["justified_value"] * kind.scale),
                "difference": numbers,
                "n": f"{plural(int(row['n_items']), 'speech', 'speeches')}, "
                f"{int(row['n_units'])} {row['unit']}",
            }
        )
    frame = pd.DataFrame(data)
    note = "Dashed: no change. Lines: 95 % intervals of the paired difference."
    if kind.measure == "kappa":
        note += " Of these speeches only: people are redrawn, speeches stay."
    if frame["farthest"].notna().any():
        note += " Dotted: bounds with failures counted."
    draw_chart(
        charts.agreement,
        frame,
        None,
        looks(queries.judges(version).frame["judge_id"]),
        axis=kind.axis,
        title=title,
        note=note,
        tooltips=["judge", "without", "with reasons", "difference", "n"],
    )


_table = Panel(
    "justification_effect",
    {
        "judge": "judge_id",
        "prompt": "template_plain",
        "measure": lambda row: str(row["measure"]).replace("_", " "),
        "without": formed("plain_value"),
        "with reasons": formed("justified_value"),
        "difference": formed("difference"),
        "95 % interval": band("difference"),
        "with failures": band("difference_failures"),
        "times as much": estimate_of("ratio"),
        "speeches": "n_items",
        "units": lambda row: f"{int(row['n_units'])} {row['unit']}",
        "answers": lambda row: f"{int(row['n_answers_plain'])} + {int(row['n_answers_justified'])}",
        "why unknown": "reason",
    },
    tall=(12, 420),
)
