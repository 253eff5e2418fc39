"""Sentences that state what the numbers show. Every number in them is a column of a mart."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from dashboard.core.findings import Finding, Row, beyond_limit, records
from dashboard.core.labels import (
    HUMAN,
    UNPARSED_LIMIT,
    capital,
    code_span,
    count,
    escape_markdown,
    estimate,
    is_missing,
    number,
    on_sides,
    plural,
    share_in,
    those_there,
)
from dashboard.core.naming import nobody, places, span


def human_row(frame: pd.DataFrame) -> dict[str, Any] | None:
    """Return the row of people, if there is one."""
    return next((row for row in records(frame) if row["judge_id"] == HUMAN), None)


def judge_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of judges, in order."""
    return [row for row in records(frame) if row["judge_id"] != HUMAN]


def best(frame: pd.DataFrame, value: str) -> dict[str, Any] | None:
    """Return the first judge that may be named; the queries sort the best one first.

    Ensembles and judges with too few units may not: `rpt_judge_ranks.is_nameable`.
    """
    return next(
        (row for row in judge_rows(frame) if not is_missing(row[value]) and _is_nameable(row)), None
    )


def _is_nameable(row: Row) -> bool:
    value = row.get("is_nameable")
    return not is_missing(value) and bool(value)


def _unnamed(frame: pd.DataFrame, value: str) -> str:
    """Say that there are values, of none that may be named; empty where there are none."""
    known = [row for row in judge_rows(frame) if not is_missing(row[value])]
    return f"{capital(nobody('single judge'))}." if known else ""


def over_speeches(rows: Sequence[Row]) -> str:
    """Return on how many speeches and topics figures rest: `on 65 to 72 speeches (12 topics)`."""
    speeches, on = (
        span([int(row[name]) for row in rows], count) for name in ("n_items", "n_units")
    )
    return (
        f"on {speeches} {'speech' if speeches == '1' else 'speeches'} "
        f"({on} {'topic' if on == '1' else 'topics'})"
    )


def against_people(difference: Any, low: Any, high: Any) -> str:
    """Say in words how a judge stands to one person, from the interval of the difference."""
    if is_missing(difference) or is_missing(low) or is_missing(high):
        return "(it cannot be compared with one person)"
    if low > 0:
        return "better than one person does"
    if high < 0:
        return "less well than one person does"
    return "about as well as one person does"


def kappa_finding(kappas: pd.DataFrame, unparsed: pd.DataFrame) -> Finding:
    """Return what the kappas of the selected judges show."""
    people, lead = human_row(kappas), best(kappas, "mean_kappa")
    if lead is None:
        rest = _unnamed(kappas, "mean_kappa") or "No judge has a κ."
        return Finding(f"{_people_alone(people)}{_unparsed_clause(unparsed)}.", rest)
    words = against_people(
        lead["kappa_minus_human"], lead["kappa_minus_human_low"], lead["kappa_minus_human_high"]
    )
    headline = (
        f"{_named(lead, _several_prompts(judge_rows(kappas)))} agrees with people {words}: mean κ "
        f"{estimate(lead['mean_kappa'], lead['kappa_low'], lead['kappa_high'])}"
    )
    if people:
        own = estimate(people["mean_kappa"], people["kappa_low"], people["kappa_high"])
        headline += f", people {own}"
    headline += f", over {plural(int(lead['pair_count']), 'pair')} of people"
    headline += f"{_unparsed_clause(unparsed, lead)}."
    rows = judge_rows(kappas)
    if len(rows) == 1:
        return Finding(headline)
    return Finding(
        headline,
        f"{_placed(lead, rows)}; of {_shown(rows)} {_standings(rows, 'kappa_minus_human')}.",
    )


def _placed(lead: Row, rows: Sequence[Row]) -> str:
    place = places(lead)
    if not place:
        return f"Its place among {_shown(rows)} is not known"
    return f"Adjusted paired differences put it at {place}"


def _shown(rows: Sequence[Row]) -> str:
    judges = len({row["judge_id"] for row in rows})
    if judges == len(rows):
        return plural(judges, "judge")
    return f"{count(len(rows))} pairs of judge and prompt"


def _people_alone(people: Row | None) -> str:
    if people is None or is_missing(people["mean_kappa"]):
        reason = "" if people is None else people["undefined_reason"]
        tail = "" if is_missing(reason) or not reason else f" ({escape_markdown(reason)})"
        return f"No κ can be computed here{tail}"
    return (
        "People agree with each other: mean κ "
        f"{estimate(people['mean_kappa'], people['kappa_low'], people['kappa_high'])}, "
        f"{plural(int(people['pair_count']), 'pair')} of people"
    )


def _several_prompts(rows: Sequence[Row]) -> bool:
    return len({row["template"] for row in rows}) > 1


def _named(row: Row, several_prompts: bool) -> str:
    """Name a judge, with its prompt where more than one is in view."""
    name = escape_markdown(row["judge_id"])
    return f"{name} with {escape_markdown(row['template'])}" if several_prompts else name


def _unparsed_clause(unparsed: pd.DataFrame, lead: Row | None = None) -> str:
    rows = over_limit(unparsed)
    if not rows:
        return ""
    worst = rows[0]
    text = share_in(worst, "share")
    is_lead = lead and all(worst[key] == lead[key] for key in ("judge_id", "template"))
    name = "it" if is_lead else _named(worst, _several_prompts(judge_rows(unparsed)))
    if len(rows) == 1:
        return f" (⚠ {name} left {text} of its answers without a readable score)"
    return (
        f" (⚠ {_shown(rows)} left more than {UNPARSED_LIMIT * 100:.0f}\u00a0% of the answers "
        f"without a readable score; most of all {name}, {text})"
    )


def over_limit(distribution: pd.DataFrame) -> list[Row]:
    """Return the rows of unreadable answers whose share is over the limit, largest first."""
    unread = [row for row in judge_rows(distribution) if row["score_label"] == "unparsed"]
    return sorted(beyond_limit(unread, "share"), key=lambda row: -float(row["share"]))


def bounds(row: Row, name: str, nearest: str, farthest: str) -> str:
    """Return what failures could hide, in Markdown; empty without failures.

    Args:
        row: A row of an agreement mart.
        name: The metric's name.
        nearest: Column of the value with each failure at the score nearest to people's mean.
        farthest: Column of the value with each failure at the score farthest from it.
    """
    unreadable, unanswered = (
        0 if is_missing(row[column]) else int(row[column])
        for column in ("unparsed_count", "unanswered_count")
    )
    if not unreadable + unanswered or is_missing(row[nearest]) or is_missing(row[farthest]):
        return ""
    parts = []
    if unreadable:
        parts.append(
            f"{plural(unreadable, 'answer')} of {count(row['n_answers'])} had no readable score"
        )
    if unanswered:
        parts.append(f"{plural(unanswered, 'request')} of {count(row['n_answers'])} got no answer")
    return (
        f"⚠ {code_span(row['judge_id'])}: {', '.join(parts)}; left out. Counted at the score "
        f"farthest from and nearest to people's mean, {name} would be {number(row[farthest])} to "
        f"{number(row[nearest])}."
    )


def chart_title(metric: str, rows: Sequence[Row], difference: str, people: Row | None) -> str:
    """Return what an agreement chart shows, as one plain sentence.

    Args:
        metric: The metric's name.
        rows: The judges drawn.
        difference: Column with the difference to people.
    """
    if [row["judge_id"] for row in rows] == [HUMAN]:
        return f"{metric} of people; no judge yet"
    if people is None or not on_sides(rows, difference)[0]:
        return f"{metric} of {plural(len(rows), 'judge')}"
    return f"{metric}: {_standings(rows, difference)}"


def _standings(rows: Sequence[Row], difference: str) -> str:
    """Return how judges stand to one person: by `standing`, else by the difference's interval.

    Without a `standing` no judge is level: an interval that holds 0 tells no more than its width.
    """

    def standing(row: Row) -> str:
        if not is_missing(row.get("standing")):
            return str(row["standing"])
        _, above, below = on_sides([row], difference)
        return "above" if above else "below" if below else "cannot_tell"

    counts = Counter(standing(row) for row in rows)
    return those_there(
        (counts["above"], "above one person"),
        (counts["level"], "level with one person"),
        (counts["below"], "below"),
        (counts["cannot_tell"], "cannot tell"),
    )
