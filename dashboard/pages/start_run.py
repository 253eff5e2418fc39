"""Start a run: what is judged, by whom, for how much; then watch it, stop it, go on with it."""

from typing import Any

import streamlit as st

from dashboard.app import draw
from dashboard.core.access import is_read_only
from dashboard.core.choices import asked_for, change_url, choose_one
from dashboard.core.commands import CommandFailed
from dashboard.core.first_run import own_question
from dashboard.core.labels import code_span, escape_markdown, plural
from dashboard.core.widgets import next_steps
from dashboard.core.words import EXPERIMENTS, worded
from dashboard.starting import commands, panels
from dashboard.starting.dagster import Dagster, DagsterError, Run, dagster_of
from dashboard.starting.findings import key_sentence, run_label
from warehouse.home import Home, find_home
from warehouse.reader import Version

PAGE = "start_run"
ALL = "all"
# Enough to see that a judge answers, and cheap.
FIRST_ITEMS = 20
NOTHING_THERE = " (no data)"


def page(version: Version) -> None:
    """Draw the page; it shows what can be run now, whichever version is published."""
    del version
    st.header("Start a run")
    if is_read_only():
        st.info(
            "This dashboard is served read-only, to you or to everybody, so nothing can be started "
            "from it. Whoever owns the home can serve it without the option, or name you in "
            "`access.toml`:"
        )
        st.code("rostrum serve", language="shell")
        return
    home = find_home()
    dagster = dagster_of(home)
    runs, problem = _runs(dagster)
    if problem:
        st.warning("Nothing can be started or watched: Dagster does not answer as it should.")
        st.code(problem, language=None, wrap_lines=True)
        dagster = None
    elif dagster is None:
        panels.not_served()
    is_going = "run" in st.query_params or any(not run.is_ended for run in runs)
    if dagster is not None and is_going:
        _watch(dagster, runs)
        st.subheader("Another run", divider="gray")
    try:
        _choose_and_start(home, dagster, runs)
    except CommandFailed as error:
        st.error("This cannot be planned:")
        st.code(str(error), language=None, wrap_lines=True)
    if dagster is not None and not is_going:
        st.subheader("Earlier runs", divider="gray")
        _watch(dagster, runs)


def _runs(dagster: Dagster | None) -> tuple[list[Run], str]:
    """Return the newest runs, or why they cannot be had."""
    try:
        return (dagster.runs() if dagster else []), ""
    except DagsterError as error:
        return [], str(error)


def _choose_and_start(home: Home, dagster: Dagster | None, runs: list[Run]) -> None:
    listed = {each["experiment"]: each for each in commands.experiments(home)}
    first = next(iter(sorted(listed, key=lambda name: _order(listed[name]))), None)
    one, left, middle, right = st.columns([4, 3, 4, 2])
    with one:
        name = choose_one(
            PAGE,
            "experiment",
            "What is asked",
            {
                name: worded(name, EXPERIMENTS) + ("" if each["datasets"] else NOTHING_THERE)
                for name, each in listed.items()
            },
            then_forget=("dataset", "judge"),
            default=first,
        )
    experiment = listed[name]
    with left:
        dataset = choose_one(
            PAGE,
            "dataset",
            "Data set",
            ({} if experiment["needs_name"] else {ALL: "All that fit"})
            | {each: each for each in experiment["datasets"]},
            explain="All that fit leaves out the bundled sample where there are others.",
        )
    with middle:
        judge = _judge(home, experiment["kind"])
    with right:
        limit = st.number_input(
            "Items at most",
            min_value=1,
            value=FIRST_ITEMS,
            step=10,
            key=f"{PAGE}_limit",
            help="Empty for all of them.",
        )
    requests = plural(experiment["requests_per_item"], "request")
    st.caption(f"{escape_markdown(experiment['description'])} Each item makes {requests}.")
    if not experiment["datasets"] and experiment["lacking"]:
        st.markdown(
            f"**No data set of this home was rated on {code_span(experiment['dimension'])}, which "
            "this asks about.**"
        )
        next_steps(*own_question(*experiment["lacking"]))
        return
    if not experiment["datasets"]:
        st.markdown(
            f"**No data set of this home has {escape_markdown(experiment['judges'])} to ask "
            "about.** Load one:"
        )
        st.code("rostrum ingest --help", language="shell")
        return
    if judge is None:
        st.markdown("Choose who judges, or type a new judge as provider/model.")
        return
    datasets = () if dataset == ALL else (dataset,)
    plan = commands.plan(home, name, judge, limit=limit, datasets=datasets)
    panels.plan(plan)
    budget = _budget(plan)
    reasons = _reasons(plan, budget, dagster, runs, f"{name}|{judge}")
    if (
        st.button("Start the run", type="primary", key=f"{PAGE}_start", disabled=bool(reasons))
        and dagster
    ):
        config: dict[str, Any] = {
            "limit": limit,
            "budget_usd": budget,
            "datasets": list(datasets),
            "report_every_s": panels.REPORT_EVERY_S,
        }
        try:
            run_id = dagster.launch(f"{name}|{judge}", config)
        except DagsterError as error:
            st.error("It could not be started:")
            st.code(str(error), language=None, wrap_lines=True)
        else:
            change_url({"run": run_id})
            st.rerun()
    for reason in reasons:
        st.markdown(f"- {reason}")
    panels.more_of_plan(plan)
    panels.in_a_terminal(name, judge, limit=limit, datasets=datasets, budget_usd=budget)


def _order(experiment: dict[str, Any]) -> tuple[bool, bool]:
    """Return what to open with: scores of speeches, of a study too that is rated on others."""
    is_there = bool(experiment["datasets"] or experiment["lacking"])
    return not is_there, experiment["kind"] != "speech"


def _judge(home: Home, kind: str) -> str | None:
    """Let the reader choose a judge of a kind, or type a new one; None where neither is done."""
    known = {each["judge"]: each for each in commands.judges(home) if kind in each["kinds"]}
    asked = st.query_params.get("judge")
    offered = list(known) if asked is None or asked in known else [asked, *known]
    key = f"{PAGE}_judge"
    st.session_state[key] = asked or next(iter(offered), None)

    def show(judge: str) -> str:
        said = key_sentence(known[judge]) if judge in known else ""
        return f"{judge} ({said})" if said else judge

    def keep() -> None:
        typed = st.session_state[key]
        change_url({"judge": typed.strip() or None if typed else None})

    chosen: str | None = st.selectbox(
        "Who judges",
        offered,
        key=key,
        format_func=show,
        accept_new_options=True,
        on_change=keep,
        placeholder="provider/model",
        help="A judge of this home, or a new one typed as provider/model, such as "
        "openai/gpt-4.1-mini; it gets its provider's settings.",
    )
    return chosen.strip() or None if chosen else None


def _budget(plan: dict[str, Any]) -> float | None:
    judge = plan["judge"]
    if not judge["is_charged"] or judge["price"] is None or judge["is_bulk"]:
        return None
    place, _ = st.columns([2, 7])
    budget: float | None = place.number_input(
        "Budget (USD)",
        min_value=0.0,
        value=None,
        step=0.5,
        key=f"{PAGE}_budget",
        placeholder="required",
        help="The run stops before it has cost more than this, over all its starts.",
    )
    return budget


def _reasons(
    plan: dict[str, Any],
    budget: float | None,
    dagster: Dagster | None,
    runs: list[Run],
    pair: str,
) -> list[str]:
    """Return why a run cannot be started, each with what to do; none where it can."""
    judge, reasons = plan["judge"], []
    if dagster is None:
        reasons.append("No Dagster answers: see above.")
    if any(run.pair == pair and not run.is_ended for run in runs):
        reasons.append("This experiment is being run with this judge: watch it above.")
    if not plan["total"]["to_ask"]:
        reasons.append("Nothing is left to ask: raise the number of items, or choose another.")
    if judge["key"] and not judge["key"]["set"]:
        reasons.append(
            f"The judge's key is not set: put it into {code_span(judge['key']['variable'])} where "
            "`rostrum serve` is started, and start that again."
        )
    if not judge["is_charged"]:
        return reasons
    if judge["price"] is None or judge["is_bulk"]:
        why = "no price is known" if judge["price"] is None else "a batch is paid as a whole"
        if not st.checkbox(
            f"Start without a budget: {why}, so none can be kept.", key=f"{PAGE}_unbounded"
        ):
            reasons.append("Say above that it may be started without a budget.")
    elif not budget:
        reasons.append("Set a budget: the judge's price is known, so the run can be held to it.")
    return reasons


def _watch(dagster: Dagster, runs: list[Run]) -> None:
    named = {run.run_id: run for run in runs if run.pair}
    asked = st.query_params.get("run")
    if asked and asked not in named:
        found = dagster.run(asked)
        named = {asked: found, **named} if found else named
    if not named:
        st.caption("No run of an experiment with a judge has been started from here or Dagster.")
        return
    asked_for("run", named)
    going = next((one for one, run in named.items() if not run.is_ended), next(iter(named)))
    run_id = choose_one(
        PAGE,
        "run",
        "Run",
        {one: run_label(row) for one, row in named.items()},
        default=going,
    )
    try:
        panels.watched(dagster, named[run_id])
    except DagsterError as error:
        st.warning("Dagster does not say more of this run:")
        st.code(str(error), language=None, wrap_lines=True)


if __name__ == "__main__":
    draw(page)
