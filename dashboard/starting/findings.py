"""The page that starts runs, in sentences."""

from collections.abc import Mapping
from typing import Any

from dashboard.core.labels import code_span, count, escape_markdown, number, plural
from dashboard.starting.dagster import Run

# What a step is called while it is at work.
STEPS = {
    "model_runs__responses": "asking the judge",
    "model_runs__scores": "loading the answers",
    "metrics": "building the figures",
    "published__warehouse": "publishing",
}
# How a run stands, for a list of runs.
_STANDS = {"SUCCESS": "done", "FAILURE": "failed", "CANCELED": "stopped"}
_KEPT = "What was answered is kept: start it again, and it goes on where it stopped."


def dollars(usd: float | None) -> str:
    """Return an amount; an unknown one is said to be unknown."""
    if usd is None:
        return "unknown"
    return f"${usd:,.2f}" if usd >= 1 else f"${number(usd)}"


def plan_sentence(plan: Mapping[str, Any]) -> str:
    """Return what a run would do."""
    total, judge = plan["total"], code_span(plan["judge"]["judge"])
    about = ", ".join(map(code_span, plan["datasets"]))
    if not total["requests"]:
        return f"There is nothing to ask {judge}."
    if not total["to_ask"]:
        return f"{judge} has answered all {count(total['requests'])} requests about {about}."
    sentence = f"{plural(total['to_ask'], 'request')} to {judge} about {about}"
    if not plan["judge"]["is_charged"]:
        return f"{sentence}, at no charge."
    if total["usd"] is None:
        return f"{sentence}; what it costs is not known."
    cost = escape_markdown(dollars(total["usd"]))
    most = escape_markdown(dollars(total["usd_most"]))
    return f"{sentence}, for about {cost} and at most {most}."


def key_sentence(judge: Mapping[str, Any]) -> str:
    """Return whether a judge's key is set, without it; empty for judges without one."""
    if not judge["key"]:
        return ""
    return f"{judge['key']['variable']} is {'set' if judge['key']['set'] else 'not set'}"


def run_label(run: Run) -> str:
    """Return a run in a list of runs."""
    return f"{run.experiment} with {run.judge} · {_STANDS.get(run.status, 'going on')}"


def run_sentence(run: Run, facts: Mapping[str, Any]) -> str:
    """Return how a run is going.

    Args:
        facts: What it last reported.
    """
    what = f"{code_span(run.experiment)} with {code_span(run.judge)}"
    step = STEPS.get(run.step, run.step)
    if run.status == "SUCCESS":
        if facts.get("status") == "over_budget":
            return (
                f"{what} stopped at its budget, and its answers are published. Start it again with "
                "a higher budget: it goes on where it stopped."
            )
        done = f"{what} is done, and its answers are published."
        if facts.get("failed"):
            done += (
                f" {plural(facts['failed'], 'request')} failed; go on to ask again those that may "
                "come right."
            )
        return done
    if run.status == "FAILURE":
        return f"{what} failed{f' while {escape_markdown(step)}' if step else ''}. {_KEPT}"
    if run.status == "CANCELED":
        return f"{what} was stopped. {_KEPT}"
    if run.status == "CANCELING":
        return f"{what} is being stopped; requests under way come in first."
    return f"{what} is {escape_markdown(step) if step else 'about to begin'}."


def seconds(left: Any) -> str:
    """Return a time left, in the unit that suits it."""
    if not isinstance(left, int | float):
        return "not known"
    if left < 90:
        return f"{left:.0f} s"
    return f"{left / 60:.0f} min" if left < 5400 else f"{left / 3600:.1f} h"
