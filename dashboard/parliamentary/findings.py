"""Sentences about adjudications. Every number in them is a column of a mart."""

from collections.abc import Sequence
from typing import Any

from dashboard.core.findings import Finding, Row, beyond_limit, first_known
from dashboard.core.labels import (
    code_span,
    count,
    escape_markdown,
    estimate_in,
    interval_in,
    is_missing,
    joined,
    number,
    on_sides,
    percent,
    plural,
    those_there,
)
from dashboard.core.naming import ahead, nameable, nobody, places, span, untold
from dashboard.parliamentary.labels import HOUSE_RANKS, SPEAKER_RANKS, SPEAKER_SCORES, measure_name

# The measure that stands for each task on top of the page, and what it is called there.
LEADING = {
    HOUSE_RANKS: ("mean_rank_difference", "Houses: ranks off"),
    SPEAKER_SCORES: ("mae", "Scores: points off"),
    SPEAKER_RANKS: ("mean_rank_difference", "Speakers: ranks off"),
}
_DOES = {
    HOUSE_RANKS: "ranks houses beside the panel",
    SPEAKER_SCORES: "scores speeches beside the panel",
    SPEAKER_RANKS: "ranks speakers beside the panel",
}


def of(rows: Sequence[Row], about: str, measure: str) -> list[Row]:
    """Return the rows of one measure of one task, in order."""
    return [row for row in rows if row["about"] == about and row["measure"] == measure]


def known(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a value, in order."""
    return [row for row in rows if not is_missing(row["value"])]


def guess(guesses: Sequence[Row], task: str, baseline: str, beside: Row) -> Row | None:
    """Return what one way of guessing gives on the debates a judge was read on, where known.

    Args:
        guesses: From `queries.guessing`.
        baseline: Which way of guessing.
        beside: A row of the judge, which says the measure.
    """
    mine = (
        row
        for row in guesses
        if (row["task"], row["baseline"], row["measure"]) == (task, baseline, beside["measure"])
        and beside["setting_id"] in _settings(row)
    )
    return next((row for row in mine if not is_missing(row["value"])), None)


def _settings(row: Row) -> Sequence[str]:
    """Return the settings that share the debates of a guess; none for all debates."""
    return () if is_missing(row["judges"]) else row["setting_ids"]


def page_finding(rows: Sequence[Row], guesses: Sequence[Row], statuses: Sequence[Row]) -> Finding:
    """Return how far judges are from the panel, beside what guessing gives.

    Args:
        rows: From `queries.measures`.
        guesses: From `queries.guessing`.
    """
    sentences = [one for task in LEADING if (one := _lead(rows, guesses, task))]
    failed = unparsed_clause(statuses)
    judges = plural(len({row["judge_id"] for row in statuses}), "judge")
    if not sentences and any(known(of(rows, task, LEADING[task][0])) for task in LEADING):
        return Finding(
            f"The judges' distances from the panel are below; {nobody('judge')}{failed}."
        )
    several = [found for task in LEADING if len(found := _nameable(rows, task)) > 1]
    is_told = any(ahead(found, "value") for found in several)
    none = f"; {untold('judge')}" if several and not is_told else ""
    if not sentences:
        reason = first_known(rows, "null_reason")
        why = f" ({escape_markdown(reason)})" if reason else ""
        return Finding(f"Nothing {judges} answered can be compared with the panel{why}{failed}.")
    return Finding(f"{sentences[0]}{none}{failed}.", " ".join(f"{one}." for one in sentences[1:]))


def _nameable(rows: Sequence[Row], task: str) -> list[Row]:
    return nameable(known(of(rows, task, LEADING[task][0])), "n_values", "n_units")


def _lead(rows: Sequence[Row], guesses: Sequence[Row], task: str) -> str:
    measure = LEADING[task][0]
    found = _nameable(rows, task)
    if not found:
        return ""
    lead = found[0]
    unit = " points" if task == SPEAKER_SCORES else ""
    if len(found) > 1:
        low, high = (estimate_in(row, "value") for row in (lead, found[-1]))
        debates = span([int(row["n_units"]) for row in found], count)
        guessed, what = [row["by_chance"] for row in found], "guessing gives"
        if task == SPEAKER_SCORES:
            means = [guess(guesses, task, "always_mean", row) for row in found]
            guessed = [mean["value"] for mean in means if mean is not None]
            what = "always naming the mean gives"
        numbers = [float(value) for value in guessed if not is_missing(value)]
        beside = f", {what} {span(numbers, number)}" if numbers else ""
        return (
            f"{measure_name(measure).capitalize()} of {plural(len(found), 'judge')} runs from "
            f"{low} to {high}{unit}{beside} ({debates} debates){_nearest(found)}"
        )
    value = estimate_in(lead, "value")
    beside = f"guessing gives {number(lead['by_chance'])}"
    if task == SPEAKER_SCORES:
        mean = guess(guesses, task, "always_mean", lead)
        beside = "" if mean is None else f"always naming the mean gives {number(mean['value'])}"
    words = against_chance(lead) if task != SPEAKER_SCORES else ""
    return (
        f"{escape_markdown(lead['judge_id'])} {_DOES[task]}: {measure_name(measure)} "
        f"{value}{unit}, {beside}{words} ({plural(int(lead['n_units']), 'debate')})"
    ).replace(",  (", " (")


def _nearest(found: Sequence[Row]) -> str:
    first = ahead(found, "value")
    if first is None:
        return ""
    return f"; {escape_markdown(first['judge_id'])} is the nearest, {places(first)}"


def against_chance(row: Row) -> str:
    """Say in words how a value stands to guessing, from the interval of the difference."""
    low, high = row["minus_chance_low"], row["minus_chance_high"]
    if is_missing(low) or is_missing(high):
        return ""
    if row["better"] == "higher":
        low, high = -high, -low
    if high < 0:
        return ", which it beats"
    if low > 0:
        return ", which is better"
    return ", from which it cannot be told"


def unparsed_clause(statuses: Sequence[Row]) -> str:
    """Say whose replies could not be read, where more than a twentieth could not."""
    unread = beyond_limit(statuses, "unparsed_share")
    if not unread:
        return ""
    worst = unread[0]
    return (
        f" (⚠ nothing could be read in {percent(worst['unparsed_share'])} of the "
        f"{plural(int(worst['reply_count']), 'reply', 'replies')} of "
        f"{escape_markdown(worst['judge_id'])})"
    )


def leading_figure(rows: Sequence[Row], guesses: Sequence[Row], task: str) -> tuple[str, str, str]:
    """Return label, value and note of the figure of one task."""
    measure, label = LEADING[task]
    mine = of(rows, task, measure)
    found = known(mine)
    if not found:
        other = "no value is known" if mine else "nobody was asked for it in this way"
        reason = first_known(mine, "null_reason", other)
        return label, "–", f"unknown: {escape_markdown(reason)}"
    named = nameable(found, "n_values", "n_units")
    if not named:
        return label, "–", nobody("judge")
    if len(named) > 1:
        values = span([float(row["value"]) for row in named], number)
        first = ahead(named, "value")
        told = f"{code_span(first['judge_id'])} {places(first)}" if first else untold("judge")
        return label, values, f"{plural(len(named), 'judge')} · {told}"
    lead = named[0]
    beside = f"guessing {number(lead['by_chance'])}"
    if task == SPEAKER_SCORES:
        mean = guess(guesses, task, "always_mean", lead)
        beside = (
            "always the mean –" if mean is None else (f"always the mean {number(mean['value'])}")
        )
    parts = [
        code_span(lead["judge_id"]),
        interval_in(lead, "value"),
        beside,
        plural(int(lead["n_units"]), "debate"),
    ]
    return label, number(lead["value"]), joined(parts)


def bounds(row: Row) -> str:
    """Return what failures could hide of one value, in Markdown; empty without failures."""
    if not int(row["failed_count"] or 0):
        return ""
    said = (
        f"⚠ {code_span(row['judge_id'])}: {count(row['failed_count'])} of "
        f"{plural(int(row['n_answers']), 'request')} gave no readable value for every place; "
        "these places are left out."
    )
    if is_missing(row["value_if_best"]) or is_missing(row["value_if_worst"]):
        return said
    return (
        f"{said} Counted at their best and at their worst, the {measure_name(row['measure'])} "
        f"would be {number(row['value_if_best'])} to {number(row['value_if_worst'])}."
    )


def beside_chance_title(rows: Sequence[Row], what: str) -> str:
    """Return how many judges are told from guessing, as plain text.

    Args:
        rows: The rows drawn, all of one measure for which lower is better.
        what: What they do, such as 'Ranking of houses'.
    """
    tested, worse, better = on_sides(rows, "minus_chance")
    if not tested:
        return f"{what}: no interval is known"
    parts = those_there(
        (better, "better than guessing"),
        (tested - better - worse, "not to be told from it"),
        (worse, "worse"),
    )
    return f"{what}: of {plural(tested, 'judge')}, {parts}"


def bias_title(rows: Sequence[Row], outcome: str) -> str:
    """Return how many effects are significant, as plain text."""
    tested = [row for row in rows if not is_missing(row["p_adjusted"])]
    if not tested:
        return f"Favour in {outcome}: nothing could be tested"
    moved = [row for row in tested if is_significant(row)]
    return (
        f"Favour in {outcome}: {count(len(moved))} of {plural(len(tested), 'test')} significant "
        "after correction"
    )


def is_significant(row: Row) -> bool:
    """Whether an effect is significant after correction."""
    value: Any = row["is_significant"]
    return not is_missing(value) and bool(value)
