"""Sentences about whether a metric can be trusted. Every number in them is a column of a mart."""

from collections.abc import Sequence

from dashboard.core.findings import Finding, Row
from dashboard.core.labels import (
    UNPARSED_LIMIT,
    count,
    escape_markdown,
    estimate_in,
    is_missing,
    percent,
    plural,
    share_in,
)
from dashboard.core.naming import nameable, span, untold
from dashboard.debates.labels import effect_in
from dashboard.questions.findings import known
from dashboard.questions.labels import wording_name
from dashboard.questions.trust.labels import metric_name, scored_by

WITHIN = "within_question"


def trust_finding(
    alignment: Sequence[Row], accuracy: Sequence[Row], people: Sequence[Row]
) -> Finding:
    """Return which metric ranks as people do, and whether judges beat a constant, in Markdown.

    Args:
        alignment: From `queries.alignment`.
        accuracy: From `queries.accuracy`.
        people: From `queries.people`.
    """
    within = nameable(
        [row for row in known(alignment, "spearman") if row["scope"] == WITHIN],
        "n_questions",
        "n_questions",
    )
    judged = known(accuracy, "gain")
    failed = _failed_clause(accuracy)
    parts = []
    if within:
        among = next(
            (row for row in known(people, "estimate") if row["task"] == "preference"), None
        )
        beside = (
            f", people among themselves {estimate_in(among, 'estimate')}"
            if among is not None
            else ""
        )
        asked = span([int(row["n_questions"]) for row in within], count)
        if len(within) == 1:
            who = escape_markdown(scored_by(within[0]).replace(chr(10), " by "))
            values = estimate_in(within[0], "spearman")
        else:
            who = plural(len(within), "metric")
            values = " to ".join(estimate_in(row, "spearman") for row in (within[-1], within[0]))
        told = f"; {untold('metric')}" if len(within) > 1 else ""
        parts.append(
            f"Rankings of answers by {who} correlate with people's: Spearman {values} on {asked} "
            f"questions{beside}{told}"
        )
    if judged:
        beats = [row for row in known(judged, "gain_low") if row["gain_low"] > 0]
        verb = "is" if len(beats) == 1 else "are"
        parts.append(
            f"{len(beats) or 'none'} of {plural(len(judged), 'judge')} of D.A. {verb} right more "
            f"often than the more frequent label for every answer, beyond chance: {_gains(judged)}"
        )
    if not parts:
        return Finding(
            "Whether these metrics can be trusted is not known yet.",
            "No metric can be compared with people's choices or labels here; the sections below "
            "say what is missing.",
        )
    return Finding(f"{'; '.join(parts)}{failed}.")


def _gains(rows: Sequence[Row]) -> str:
    """Return the lowest and the highest gain, and on how many answers."""
    ordered = sorted(rows, key=lambda row: float(row["gain"]))
    ends = dict.fromkeys(effect_in(row, "gain") for row in (ordered[0], ordered[-1]))
    answers = span([int(row["n_answers"]) for row in rows], count)
    return f"{' to '.join(ends)} on {answers} answers"


def _failed_clause(rows: Sequence[Row]) -> str:
    """Say whose judgements failed, when that is more than a few of them."""
    asked = [(row, int(row["failed_count"]) + int(row["n_answers"])) for row in rows]
    over = [
        (int(row["failed_count"]) / whole, row)
        for row, whole in asked
        if whole and int(row["failed_count"]) / whole > UNPARSED_LIMIT
    ]
    if not over:
        return ""
    worst, row = max(over, key=lambda one: one[0])
    return (
        f" (⚠ {escape_markdown(row['evaluator_id'])} gave no readable judgement of "
        f"{percent(worst)} of the labelled answers)"
    )


def accuracy_bounds(row: Row) -> str:
    """Return what failed judgements could hide, in Markdown; empty without any."""
    if not row["failed_count"] or is_missing(row["accuracy_all_wrong"]):
        return ""
    return (
        f"⚠ {escape_markdown(row['evaluator_id'])}: "
        f"{plural(int(row['failed_count']), 'judgement')} failed; left out. Counted all wrong and "
        f"all right, the accuracy would be {percent(row['accuracy_all_wrong'])} to "
        f"{percent(row['accuracy_all_right'])}."
    )


def alignment_title(rows: Sequence[Row]) -> str:
    """Return how many metrics go with people's choices, as plain text."""
    named = nameable(rows, "n_questions", "n_questions")
    clear = [row for row in rows if not is_missing(row["spearman_low"]) and row["spearman_low"] > 0]
    closest = f"{metric_name(named[0]['metric'])}: " if len(named) == 1 else ""
    return (
        f"{closest}{len(clear)} of {plural(len(rows), 'metric')} "
        f"{'is' if len(clear) == 1 else 'are'} beyond chance"
    )


def gain_title(rows: Sequence[Row]) -> str:
    """Return how many judges beat the majority label, as plain text."""
    clear = [row for row in rows if not is_missing(row["gain_low"]) and row["gain_low"] > 0]
    return (
        f"{len(clear)} of {plural(len(rows), 'judge')} "
        f"{'is' if len(clear) == 1 else 'are'} better than the majority label, beyond chance"
    )


def accuracy_text(row: Row) -> str:
    """Return accuracy with its interval and that of the majority label."""
    value = share_in(row, "accuracy")
    return f"{value}, majority label: {percent(row['baseline_accuracy'])}"


def stability_finding(rows: Sequence[Row]) -> str:
    """Return how far places hold, in Markdown; the least stable pair of orders comes first."""
    there = known(rows, "kendall")
    if not there:
        return f"None of {plural(len(rows), 'pair')} of orders can be compared; the table says why."
    models = span([int(row["n_models"]) for row in there], count)
    taus = dict.fromkeys(estimate_in(row, "kendall") for row in (there[0], there[-1]))
    same = sum(float(row["kendall"]) == 1 for row in there)
    return (
        f"{same} of {plural(len(there), 'pair')} of orders {'is' if same == 1 else 'are'} the same "
        f"throughout. τ of all pairs: {' to '.join(taus)}, over {models} models."
    )


def pair_name(row: Row) -> str:
    """Return which two orders are compared, on two lines of plain text."""
    first, second = row["evaluator_a"], row["evaluator_b"]
    wordings = [wording_name(row[f"evaluator_template_{part}"]) for part in ("a", "b")]
    if row["comparison"] == "wording":
        return f"{metric_name(row['metric'])} by {first}\n{wordings[0]} against {wordings[1]}"
    return f"{metric_name(row['metric'])}, {wordings[0]}\n{first} against {second}"
