"""What the page that starts runs is made of: the plan, why it cannot be started, the run."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core.choices import change_url
from dashboard.core.labels import UNKNOWN, code_span, count, escape_markdown, number
from dashboard.core.widgets import figure, table, unfolding
from dashboard.core.words import PROMPTS, worded
from dashboard.starting.commands import run_arguments
from dashboard.starting.dagster import Dagster, DagsterError, Run
from dashboard.starting.findings import STEPS, dollars, plan_sentence, run_sentence, seconds

_SECONDS_BETWEEN_LOOKS = 2
# The engine reports as often as the page looks.
REPORT_EVERY_S = 2.0


def plan(plan: Mapping[str, Any]) -> None:
    """Show what a run would ask, cost and could find."""
    total, effects = plan["total"], plan["smallest_effects"]
    st.markdown(f"#### {plan_sentence(plan)}")
    boxes = st.columns(4)
    with boxes[0]:
        figure(
            "Requests to ask",
            count(total["to_ask"]),
            f"of {count(total['requests'])}; {count(total['answered'] + total['reused'])} are "
            f"answered already, {count(total['overflowing'])} do not fit the judge's window",
            "Only what has no answer yet is asked.",
        )
    with boxes[1]:
        figure(
            "Tokens",
            count(total["tokens_in"] + round(total["tokens_out"])),
            f"{count(total['tokens_in'])} in, {count(round(total['tokens_out']))} out expected, "
            f"{count(total['tokens_out_most'])} out at most",
            f"In: {plan['assumptions']['tokens_in']}. Out: "
            f"{'; '.join(plan['assumptions']['tokens_out']) or 'nothing is asked'}.",
        )
    with boxes[2]:
        figure("Cost expected", *_cost(plan), f"Rests on {plan['assumptions']['cost']}.")
    with boxes[3]:
        figure(
            "Smallest effect found",
            *_smallest(effects),
            "The effect that 80 % of such runs would find at p < 0.05. Where nothing says how the "
            "judge answers, it depends on what is assumed; the table has every test.",
        )


def more_of_plan(plan: Mapping[str, Any]) -> None:
    """Offer the plan test by test and prompt by prompt."""
    if effects := plan["smallest_effects"]:
        unfolding("What each test could find with so many", _effects, effects)
    unfolding("What is asked, prompt by prompt", _variants, plan["variants"])


def _cost(plan: Mapping[str, Any]) -> tuple[str, str]:
    total, price = plan["total"], plan["judge"]["price"]
    if not plan["judge"]["is_charged"]:
        return "$0", "it answers on this machine"
    if price is None:
        return "unknown", "no price is known; add one to prices.toml in your home"
    as_of = f", as of {price['as_of']}" if price["as_of"] else ""
    per_million = (
        f"${price['usd_per_million_tokens_in']:g} in and "
        f"${price['usd_per_million_tokens_out']:g} out per million tokens"
    )
    note = f"at most {dollars(total['usd_most'])}; {per_million} ({price['source']}{as_of})"
    return dollars(total["usd"]), escape_markdown(note)


def _smallest(effects: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the smallest effect of the first test, over all that may be assumed, and its note."""
    if not effects:
        return UNKNOWN, "not worked out for what this experiment asks"
    first = effects[0]
    same = [each for each in effects if each["test"] == first["test"]]
    found = sorted(each["smallest"] for each in same if each["smallest"] is not None)
    note = f"{first['unit']}: {first['test']}, n = {count(round(first['n']))}"
    if not found:
        return UNKNOWN, escape_markdown(f"{note}; {first['reason'] or 'no effect would be found'}")
    ends = dict.fromkeys(number(each) for each in (found[0], found[-1]))
    if len(found) < len(same):
        note += "; under some assumptions none"
    return " to ".join(ends), escape_markdown(note)


def _effects(effects: Sequence[Mapping[str, Any]]) -> None:
    table(
        pd.DataFrame(
            {
                "Data set": [each["dataset"] for each in effects],
                "Test": [each["test"] for each in effects],
                "If": [each["assuming"] for each in effects],
                "n": [round(each["n"]) for each in effects],
                "Smallest effect": [each["smallest"] for each in effects],
                "Unit": [each["unit"] for each in effects],
                "Why none": [each["reason"] for each in effects],
            }
        ),
        formats={"Smallest effect": "%.2f"},
    )


def _variants(variants: Sequence[Mapping[str, Any]]) -> None:
    table(
        pd.DataFrame(
            {
                "Data set": [each["dataset_id"] for each in variants],
                "Prompt": [worded(each["template"], PROMPTS) for each in variants],
                "Asks": [each["asks"] for each in variants],
                "Requests": [each["requests"] for each in variants],
                "To ask": [each["to_ask"] for each in variants],
                "Tokens in": [each["tokens_in"] for each in variants],
                "Cost (USD)": [each["usd"] for each in variants],
            }
        )
    )


def in_a_terminal(
    experiment: str,
    judge: str,
    *,
    limit: int | None,
    datasets: tuple[str, ...],
    budget_usd: float | None,
) -> None:
    """Show the command that does the same."""
    arguments = run_arguments(experiment, judge, limit=limit, datasets=datasets)
    budget = [] if budget_usd is None else [f"--budget={budget_usd:g}"]
    st.caption("The same from a terminal:")
    st.code(shlex.join(["rostrum", "run", *arguments, *budget]), language="shell")


def not_served() -> None:
    """Say that no Dagster serves this home, and how to have one."""
    st.info(
        "Nothing can be started here: no Dagster serves this home. This command serves both; stop "
        "a dashboard that was started alone first:"
    )
    st.code("rostrum serve", language="shell")


def watched(dagster: Dagster, run: Run) -> None:
    """Show a run, and look again by itself until it has ended.

    Args:
        dagster: Where it runs.
    """
    if run.is_ended:
        _shown(dagster, run)
    else:
        _looking(dagster, run.run_id)


@st.fragment(run_every=_SECONDS_BETWEEN_LOOKS)
def _looking(dagster: Dagster, run_id: str) -> None:
    try:
        run = dagster.run(run_id)
    except DagsterError as error:
        # It may be started again; the next look tells.
        st.warning("Dagster does not answer just now; this page goes on looking.")
        st.code(str(error), language=None, wrap_lines=True)
        return
    if run is None or run.is_ended:
        st.rerun()
    _shown(dagster, run)


def _shown(dagster: Dagster, run: Run) -> None:
    facts = dagster.facts(run)
    st.markdown(f"**{run_sentence(run, facts)}**")
    if run.status == "FAILURE" and (reason := dagster.why_failed(run.run_id)):
        st.code(reason, language=None, wrap_lines=True)
    _progress(run, facts)
    left, middle, right, _ = st.columns([2, 1, 3, 5])
    left.link_button("Open in Dagster", dagster.address_of(run))
    if not run.is_ended:
        if middle.button("Stop", key=f"stop_{run.run_id}", disabled=not run.can_stop):
            _or_say(lambda: dagster.stop(run.run_id))
    elif (run.status != "SUCCESS" or facts.get("failed")) and middle.button(
        "Go on", key=f"resume_{run.run_id}"
    ):
        _or_say(lambda: change_url({"run": dagster.launch(run.pair, run.config)}))
    if run.status == "SUCCESS":
        right.page_link(
            "pages/runs.py",
            label="Its answers and failures",
            query_params={"experiment": run.experiment, "judge": run.judge},
        )


def _or_say(act: Callable[[], None]) -> None:
    """Do something to a run and draw the page again, or say why it was not done."""
    try:
        act()
    except DagsterError as error:
        st.error("Dagster did not do it:")
        st.code(str(error), language=None, wrap_lines=True)
    else:
        st.rerun()


def _progress(run: Run, facts: Mapping[str, Any]) -> None:
    if not facts:
        if run.step == next(iter(STEPS)):
            st.caption("It has not reported yet: the first answers are on their way.")
        return
    requests = facts["requests"]
    failed, unparsed = facts["failed"], facts["unparsed"]
    done = facts.get("done")
    if done is None:
        done = facts["answered_now"] + facts["reused"] + facts["already_answered"] + failed
    share = min(done / requests, 1.0) if requests else 1.0
    st.progress(share, f"{count(done)} of {count(requests)} requests")
    rate = facts.get("requests_per_s")
    if rate is None and facts.get("seconds"):
        rate = facts["answered_now"] / facts["seconds"]
    boxes = st.columns(4)
    usd = facts["cost_usd"]
    boxes[0].metric("Spent", str(facts["cost"] if isinstance(usd, str) else dollars(usd)))
    boxes[1].metric("Requests a second", number(rate))
    boxes[2].metric(
        "Time left", "–" if run.is_ended or done >= requests else seconds(facts.get("seconds_left"))
    )
    boxes[3].metric("Failed · unreadable", f"{count(failed)} · {count(unparsed)}")
    kinds = facts.get("errors_by_kind") or {}
    if kinds:
        listed = ", ".join(f"{code_span(kind)} {count(n)}" for kind, n in sorted(kinds.items()))
        st.markdown(f"Failures by kind: {listed}.")
