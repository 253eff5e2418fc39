"""Sentences of the first page. Every number is a column of rpt_judge_tasks."""

from collections import Counter
from collections.abc import Callable, Sequence

from dashboard.core.findings import Finding, Row, beyond_limit
from dashboard.core.labels import code_span, count, is_missing, percent, plural
from dashboard.core.naming import nobody, span, untold
from dashboard.start.labels import (
    REASONS,
    STANDINGS,
    TASKS,
    band_of,
    basis_of,
    bias_of,
    difference_of,
    value_of,
)

_NAMED = 3


def trust_finding(rows: Sequence[Row], task: str) -> Finding:
    """Return which judge to trust on a task, or that the data cannot tell.

    Judges who were asked in another way than most are in no place beside them, and are not named.

    Args:
        rows: The judges asked about the task, the best first.
    """
    about = TASKS[task].about
    if not rows:
        return Finding(f"No judge of this selection was asked about {about}.")
    known = [row for row in rows if row["is_main_setting"] and row["is_nameable"]]
    cannot = f"The data cannot tell which judge to trust for {about}"
    if not known:
        return Finding(f"{cannot}: {nobody('judge')}.", _beside_people(rows))
    able = [row for row in known if row["rank_low"] == 1]
    if not able:
        values = span([row["estimate"] for row in known], lambda one: _shown(known[0], one))
        who = f"{plural(len(known), 'judge')}, {values}"
        if len(known) == 1:
            who = f"only {code_span(known[0]['judge_id'])}, {_value(known[0])}"
        return Finding(f"{cannot}: {untold('judge')} ({who}).", _beside_people(rows))
    rest = f"{_biases(able)}{_beside_people(rows)}"
    ranked = int(able[0]["n_ranked"])
    if len(able) == ranked > 1:
        values = span([row["estimate"] for row in able], lambda one: _shown(able[0], one))
        return Finding(f"{cannot}: each of {plural(ranked, 'judge')} may be best ({values}).", rest)
    shown = _value if len(able) == 1 else value_of
    if not any(_beats_guessing(row) for row in able):
        guess = _shown(able[0], able[0]["floor_value"])
        return Finding(f"{cannot}: none is surely better than guessing, which gets {guess}.", rest)
    biased = [row for row in able if not is_missing(row["largest_bias"])]
    free = [row for row in able if is_missing(row["largest_bias"])]
    alone = "is the only one asked so" if ranked == 1 else "no other can be the best"
    beside = f"{alone} of {count(ranked)} asked alike" if ranked > 1 else f"it {alone}"
    if biased and free:
        has = "has" if len(biased) == 1 else "have"
        beside = f"{_listed(biased, shown, 'and')} can be as good but {has} a bias; {beside}"
    first = free or able
    after = f"{_listed(first, shown, 'or')}: {beside}{_stand(first)}{_unreadable(first[:_NAMED])}."
    if all(row["standing"] == "below" for row in able):
        return Finding(f"For {about} no judge is as good as people. The nearest: {after}", rest)
    if not free:
        return Finding(f"For {about} each judge that can be the best has a bias. {after}", rest)
    return Finding(f"For {about}, trust {after}", rest)


def _listed(rows: Sequence[Row], shown: Callable[[Row], str], joined: str) -> str:
    names = [f"{code_span(row['judge_id'])} ({shown(row)})" for row in rows[:_NAMED]]
    if len(rows) > _NAMED:
        names.append(f"one of {plural(len(rows) - _NAMED, 'other')}")
    return f" {joined} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def change_sentence(counts: Row) -> str:
    """Return how many estimates the version changed against the one before.

    Args:
        counts: From `queries.change_counts`.
    """
    if is_missing(counts["version_before"]):
        return "This is the first version: there is none before to compare it with."
    since = f"since {code_span(counts['version_before'])}"
    found = {
        "appeared": counts["appeared"],
        "moved by more than their interval": counts["moved"],
        "moved within their interval or have none": counts["changed"],
        "vanished": counts["vanished"],
    }
    said = ", ".join(f"{count(amount)} {what}" for what, amount in found.items() if amount)
    return f"Of all estimates, {said} {since}." if said else f"No estimate has changed {since}."


def _shown(row: Row, value: float) -> str:
    return value_of({**row, "estimate": value})


def _value(row: Row) -> str:
    return f"{value_of(row)} {band_of(row)} over {basis_of(row)}"


def _beats_guessing(row: Row) -> bool:
    """Whether a judge's interval lies beyond what guessing gets; also where that is not known."""
    end = row["estimate_high"] if row["better"] == "lower" else row["estimate_low"]
    if row["floor_kind"] != "chance" or is_missing(row["floor_value"]) or is_missing(end):
        return True
    return bool(end < row["floor_value"] if row["better"] == "lower" else end > row["floor_value"])


def _stand(able: Sequence[Row]) -> str:
    """Return how those who may be best stand beside people, where all of them stand alike."""
    standings = {str(row["standing"]) for row in able}
    if len(standings) > 1 or standings == {"cannot_tell"}:
        return ""
    words = STANDINGS[standings.pop()].words
    return f"; {words} ({difference_of(able[0])})" if len(able) == 1 else f"; all {words}"


def _biases(able: Sequence[Row]) -> str:
    """Return the largest significant bias of each that may be best, as a sentence."""
    found = [(row["judge_id"], bias_of(row)) for row in able[:_NAMED]]
    said = "; ".join(f"{code_span(judge)}: {bias}" for judge, bias in found if bias)
    return f"{said}. " if said else ""


def _beside_people(rows: Sequence[Row]) -> str:
    counted = Counter(str(row["standing"]) for row in rows)
    said = ", ".join(
        f"{count(counted[name])} {one.words}" for name, one in STANDINGS.items() if counted[name]
    )
    why = Counter(str(row["standing_reason"]) for row in rows if row["standing_reason"])
    mostly = "mostly because " if len(why) > 1 else "because "
    reason = f" ({mostly}{REASONS[why.most_common(1)[0][0]]})" if why else ""
    return f"Beside people, of {plural(len(rows), 'judge')}: {said}{reason}."


def _unreadable(rows: Sequence[Row]) -> str:
    said = "; ".join(
        f"{code_span(row['judge_id'])} left {percent(row['unreadable_share'])} of its answers "
        "unreadable"
        for row in beyond_limit(rows, "unreadable_share")
    )
    return f" (⚠ {said})" if said else ""


def drift_warning(rows: Sequence[Row]) -> str:
    """Return which judges changed between waves over the same frozen items."""
    judges = list(dict.fromkeys(code_span(row["judge_id"]) for row in rows))
    return (
        f"{', '.join(judges)} answered the same frozen items otherwise than in the first wave: "
        "figures of before and after are not of one judge. The page Decide says by how much."
    )
