"""Sentences about debate as oversight. Every number in them is a column of a mart."""

from collections.abc import Sequence

from dashboard.core.findings import Finding, Row, first_known
from dashboard.core.labels import (
    UNPARSED_LIMIT,
    count,
    escape_markdown,
    is_missing,
    judge_name,
    number,
    on_sides,
    percent,
    plural,
    share_in,
)
from dashboard.core.naming import ahead, enough_to_name, nameable, nobody, places, span, untold
from dashboard.oversight.labels import DEBATE, EXPERT, NAIVE, mode_name, protocol_name

NOBODY = "none"
# What judges have in common whose accuracies may stand side by side.
_ALIKE = ("protocol", "is_interactive", "debater", "mode")


def leading(rows: Sequence[Row]) -> list[Row]:
    """Return the judges the page speaks of first, asked alike; debates come before the rest."""
    return asked_alike([row for row in nameable(rows) if not is_missing(row["accuracy"])])


def asked_alike(rows: Sequence[Row]) -> list[Row]:
    """Return the rows asked as the first one: only theirs may stand side by side."""
    return [row for row in rows if all(row[name] == rows[0][name] for name in _ALIKE)]


def first(leads: Sequence[Row]) -> Row | None:
    """Return the judge that may be named as most often right; none where ways of asking mix.

    Args:
        leads: From `leading`.
    """
    if len({row["variant_id"] for row in leads}) != 1:
        return None
    return ahead(sorted(leads, key=lambda row: -float(row["accuracy"])), "accuracy")


def page_finding(rows: Sequence[Row]) -> Finding:
    """Say how often judges are right; of one judge alone, beside its floor and its ceiling."""
    leads = leading(rows)
    if not leads:
        if any(not is_missing(row["accuracy"]) for row in rows):
            return Finding(f"Accuracies are below; {nobody('judge')}.")
        reason = first_known(rows, "reason")
        why = f": {escape_markdown(reason)}" if reason else ""
        return Finding(f"No accuracy is known here{why}.")
    lead = leads[0]
    judges = len({row["judge_id"] for row in leads})
    who = escape_markdown(judge_name(str(lead["judge_id"])))
    verb = "are" if who == "people" else "is"
    # A model's name is written as it is; people begin a sentence.
    who = who.capitalize() if who == "people" else who
    by = "" if lead["debater"] == NOBODY else f" by {debater_name(lead['debater'])}"
    how = mode_name(lead["mode"])
    kind = protocol_name(lead["protocol"], lead["is_interactive"])
    given = {NAIVE: "on the question alone", EXPERT: "with the story at hand"}.get(
        str(lead["protocol"]), f"after {kind}{by}"
    ) + (f", judged {how}" if how else "")
    if judges > 1:
        low, high = (share_in(row, "accuracy") for row in (leads[-1], lead))
        units, stories = (
            span([int(row[name]) for row in leads], count) for name in ("n_units", "n_clusters")
        )
        best = first(leads)
        told = (
            f"{escape_markdown(judge_name(str(best['judge_id'])))} most often, {places(best)}"
            if best
            else untold("judge")
        )
        return Finding(
            f"{plural(judges, 'judge')} are right in {low} to {high} of judgements {given} "
            f"({units} judgements, {stories} stories each); {told}."
        )
    said = (
        f"{who} {verb} right in "
        f"{share_in(lead, 'accuracy')} of judgements "
        f"{given} ({plural(int(lead['n_units']), 'judgement')}, "
        f"{plural(int(lead['n_clusters']), 'story', 'stories')}){_unread(lead)}"
    )
    return Finding(f"{said}.", _gap(lead))


def debater_name(debater: object) -> str:
    """Return who argues, in Markdown, as it stands in a sentence."""
    known = {"human": "people", "ai": "models"}
    return known.get(str(debater)) or escape_markdown(debater)


def _unread(row: Row) -> str:
    """Say how many judgements could not be read, where more than a twentieth could not."""
    failed = int(row["failed_count"])
    asked = failed + int(row["n_answers"])
    if not asked or failed / asked <= UNPARSED_LIMIT:
        return ""
    return f" (⚠ {count(failed)} of {plural(asked, 'judgement')} could not be read)"


def _gap(row: Row) -> str:
    if is_missing(row["gap_closed"]):
        if row["protocol"] in (NAIVE, EXPERT) or is_missing(row["gap_reason"]):
            return ""
        return f"How much of the gap it closes is unknown: {escape_markdown(row['gap_reason'])}."
    if not enough_to_name(row["gap_n_units"], row["n_clusters"]):
        return ""
    closed = share_in(row, "gap_closed")
    return (
        f"On the {plural(int(row['gap_n_units']), 'question')} judged all three ways the question "
        f"alone gives {percent(row['naive_accuracy'])}, this {percent(row['gap_accuracy'])} and "
        f"the story {percent(row['expert_accuracy'])}: {closed} of the gap is closed."
    )


def accuracy_title(rows: Sequence[Row], judge: str) -> str:
    """Return what one judge's panel shows, as plain text."""
    debate = next(
        (row for row in rows if row["protocol"] == DEBATE and not is_missing(row["accuracy"])), None
    )
    name = judge_name(judge)
    if debate is None:
        return f"{name}: no debate was judged"
    by = "" if debate["debater"] == NOBODY else f" by {debate['debater']}"
    return (
        f"{name}: {share_in(debate, 'accuracy')} "
        f"right after debate{by}, {plural(int(debate['n_units']), 'judgement')}"
    )


def belief_title(rows: Sequence[Row]) -> str:
    """Return whether belief moves towards the truth, as plain text.

    Args:
        rows: Every step of each line drawn.
    """
    known, toward, away = on_sides(rows, "change")
    if not known:
        return "Belief by round: no change from round to round has an interval"
    return (
        f"Of {plural(known, 'change')} from round to round {count(toward)} "
        f"{'is' if toward == 1 else 'are'} clearly toward the truth, {count(away)} clearly away"
    )


def calibration_note(row: Row) -> str:
    """Return calibration error beside that of a perfect judge, as plain text."""
    if is_missing(row["ece_max_p"]):
        return str(row["reason"]) if not is_missing(row["reason"]) else "unknown"
    return (
        f"error {number(row['ece_max_p'])}, a perfect judge's "
        f"{number(row['ece_max_p_if_calibrated'])}; n = {count(row['n_units'])}"
    )


def effect_title(rows: Sequence[Row]) -> str:
    """Return how many biases are significant, as plain text."""
    tested = [row for row in rows if not is_missing(row["p_adjusted"])]
    if not tested:
        return "Biases: nothing could be tested"
    moved = sum(bool(row["is_significant"]) for row in tested)
    return f"Biases: {count(moved)} of {plural(len(tested), 'test')} significant after correction"
