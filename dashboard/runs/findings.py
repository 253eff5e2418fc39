"""Sentences about runs: did they work, and what went wrong. Every number is a column of a mart."""

from collections.abc import Sequence

from dashboard.core.findings import Finding, Row
from dashboard.core.labels import code_span, count, is_missing, number, plural, share_in
from dashboard.core.naming import MIN_UNITS, span

READ, WAITING, NO_REFERENCE = "read", "not asked yet", "no_reference"
NO_FAILURES = (READ, WAITING, NO_REFERENCE)
# What a status means, as text; kinds of error that are not here are shown as they are called.
STATUS_WORDS = {
    READ: "answered and read",
    "unparsed": "answer not readable",
    "refused": "model declined",
    "filtered": "held back by a filter",
    "truncated": "cut at the token limit",
    "context_overflow": "prompt longer than the window",
    "timeout": "no answer in time",
    "malformed": "reply made no sense",
    "rate_limited": "rate limited",
    "overloaded": "endpoint overloaded",
    "authentication": "key refused",
    "billing": "billing refused",
    NO_REFERENCE: "no reference in the data",
    WAITING: WAITING,
}


def status_words(status: str) -> str:
    """Return what a status means; an unknown one as the marts call it, with spaces."""
    return STATUS_WORDS.get(status, status.replace("_", " "))


def run_finding(totals: Row, runs: Sequence[Row], statuses: Sequence[Row]) -> Finding:
    """Return whether the selected runs worked, and what to look at if they did not.

    Args:
        totals: From `queries.totals`.
        runs: From `queries.runs`, the worst first.
    """
    rest = " ".join(filter(None, (_unfinished(totals), _without_reference(totals))))
    judged = int(totals["request_count"]) - int(totals["no_reference_count"])
    failing = int(totals["failing_run_count"])
    if not judged:
        return Finding(f"No request of {_runs(totals)} has an outcome yet.", rest)
    if not failing:
        return Finding(
            f"Every one of {plural(judged, 'request')} in {_runs(totals)} was answered and read.",
            rest,
        )
    worst = runs[0]
    lost = share_in(worst, "failure_share")
    failures = [
        row
        for row in statuses
        if row["run_id"] == worst["run_id"] and row["answer_status"] not in NO_FAILURES
    ]
    most = max(failures, key=lambda row: int(row["amount"]), default=None)
    why = (
        ""
        if most is None
        else f"; most often: {status_words(most['answer_status'])} ({count(most['amount'])})"
    )
    # Of few requests, the largest share is no finding.
    whole = int(worst["request_count"] - worst["no_reference_count"])
    which = "The largest share failed with" if whole >= MIN_UNITS else "Look at"
    return Finding(
        f"In {count(failing)} of {_runs(totals)} requests failed. {which} "
        f"{code_span(worst['judge_id'])}: {lost} of {count(whole)}{why}.",
        rest,
    )


def _runs(totals: Row) -> str:
    return plural(int(totals["run_count"]), "run")


def _unfinished(totals: Row) -> str:
    open_runs = int(totals["run_count"]) - int(totals["complete_count"])
    if not open_runs:
        return ""
    waiting = int(totals["unasked_count"])
    return (
        f"{plural(open_runs, 'run')} "
        f"{'is' if open_runs == 1 else 'are'} not complete; {plural(waiting, 'planned request')} "
        f"{'has' if waiting == 1 else 'have'} no outcome yet. Starting a run again asks only for "
        "what is missing."
    )


def _without_reference(totals: Row) -> str:
    lacking = int(totals["no_reference_count"])
    if not lacking:
        return ""
    return (
        f"{plural(lacking, 'request')} to simulated judges had no reference in the data to be made "
        "from; these are no failures."
    )


def chart_title(runs: Sequence[Row]) -> str:
    """Return what the chart of statuses shows, as one plain sentence.

    Args:
        runs: The runs drawn.
    """
    failing = sum(row["failure_count"] > 0 for row in runs)
    waiting = sum(row["unasked_count"] > 0 for row in runs)
    whole = sum(row["failure_count"] == 0 and row["unasked_count"] == 0 for row in runs)
    if whole == len(runs):
        return "Every planned request was answered and read"
    parts = [f"Of {plural(len(runs), 'run')} drawn, {whole} without a failure"]
    if failing:
        parts.append(f"{failing} with failed requests")
    if waiting:
        parts.append(f"{waiting} with requests still to ask")
    return ", ".join(parts)


def latency_title(runs: Sequence[Row]) -> str:
    """Return how long runs take, as one plain sentence.

    Args:
        runs: The runs drawn, all with a known latency.
    """
    if len(runs) == 1:
        return f"How long {runs[0]['judge_id']} takes"
    medians = span([float(row["latency_p50_s"]) for row in runs], number)
    return f"Median of {plural(len(runs), 'run')}: {medians} s"


def cost_note(row: Row) -> str:
    """Return for how many requests a cost is known, so that a part is not taken for the whole.

    Args:
        row: Of `queries.totals`, or of a run.
    """
    known, sent = int(row["cost_known_count"] or 0), int(row["sent_count"] or 0)
    if not is_missing(row["cost_usd"]):
        return f"known for all of {plural(sent, 'request')} sent"
    if not known:
        return f"unknown: no cost is known of {plural(sent, 'request')} sent"
    return (
        f"unknown: at least {number(row['cost_known_usd'])}, known for {count(known)} of "
        f"{plural(sent, 'request')} sent"
    )
