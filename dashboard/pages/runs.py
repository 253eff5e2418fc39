"""What was run, did it work, what did it cost?"""

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_judges, choose_many, choose_one, filter_row
from dashboard.core.findings import Row
from dashboard.core.labels import (
    COST,
    FAILURE,
    LATENCY,
    UNPARSED,
    code_span,
    count,
    interval_in,
    is_missing,
    number,
    percent,
    plural,
)
from dashboard.core.widgets import figure, figure_row, headline, how_computed
from dashboard.core.words import EXPERIMENTS, worded
from dashboard.runs import panels as run_panels
from dashboard.runs import queries as run_queries
from dashboard.runs.findings import cost_note, run_finding
from warehouse.reader import Version

PAGE = "runs"
ALL = "all"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Runs")
    choices = run_queries.choices(version).frame
    if choices.empty:
        st.markdown("**No judge has been run or imported yet.** See the judges, then run one:")
        st.code(
            "rostrum judges\nrostrum run speech-score --judge JUDGE",
            language="shell",
        )
        return
    experiments, judges, kinds = _select(choices)
    runs = run_queries.runs(version, experiments, judges)
    totals = run_queries.totals(version, experiments, judges)
    statuses = run_queries.statuses(version, experiments, judges)
    failures = run_queries.failures(version, experiments, judges, kinds)
    rows, whole = runs.rows, totals.rows[0]
    headline(run_finding(whole, rows, statuses.rows))
    _figures(whole, rows)
    run_panels.outcomes(rows, statuses.frame)
    run_panels.run_table(runs)
    if kinds:
        run_panels.failures(PAGE, version, failures)
    run_panels.seconds(version, rows)
    how_computed(
        [FAILURE, UNPARSED, COST, LATENCY],
        [
            ("Runs", runs),
            ("All of them together", totals),
            ("What happened to requests", statuses),
            ("Failures", failures),
        ],
    )


def _select(choices: pd.DataFrame) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    """Let the reader choose experiment, judges and kinds of failure; all of them at first."""
    named = {one: worded(one, EXPERIMENTS) for one in choices["experiment"]}
    every = {ALL: f"all {len(named)} experiments"} if len(named) > 1 else {}
    boxes, _ = filter_row(PAGE, [4, 4, 4])
    with boxes[0]:
        experiment = choose_one(
            PAGE,
            "experiment",
            "Experiment",
            every | named,
            then_forget=("judge", "status", "answer"),
        )
    rows = choices if experiment == ALL else choices[choices["experiment"] == experiment]
    offered = sorted(set(rows["judge_id"]))
    with boxes[1]:
        judges = choose_judges(PAGE, offered)
    kinds = sorted(
        {
            kind
            for judge, found in zip(rows["judge_id"], rows["answer_statuses"], strict=True)
            if judge in judges and found is not None
            for kind in found
        }
    )
    with boxes[2]:
        chosen = choose_many(
            PAGE,
            "status",
            "Failures listed",
            kinds,
            everything=f"All {plural(len(kinds), 'kind')}" if kinds else "Nothing failed",
            explain="Which failures the table of what went wrong lists.",
        )
    return list(named) if experiment == ALL else [experiment], judges, chosen


def _figures(totals: Row, runs: list[dict[str, Any]]) -> None:
    with figure_row():
        figure(
            "Requests",
            count(totals["request_count"]),
            f"with an outcome, of {count(totals['planned_count'])} planned · "
            f"{plural(len(runs), 'run')} · {_retries(totals)}",
            "Answered, failed or refused: anything but still to be asked.",
        )
        worst = runs[0]
        figure(
            "Largest failure share",
            percent(worst["failure_share"]),
            f"{code_span(worst['judge_id'])} · "
            f"{interval_in(worst, 'failure_share', 100)} · "
            f"{count(worst['failure_count'])} of {plural(int(worst['request_count']), 'request')}",
            FAILURE.line,
        )
        cached = totals["tokens_cached"]
        figure(
            "Cost (USD)",
            number(totals["cost_usd"]),
            f"{cost_note(totals)} · {count(totals['tokens_in'])} tokens in"
            f"{'' if is_missing(cached) else f' ({count(cached)} cached)'}, "
            f"{count(totals['tokens_out'])} out",
            COST.line,
        )
        slowest = max(
            (row for row in runs if not is_missing(row["latency_p50_s"])),
            key=lambda row: float(row["latency_p50_s"]),
            default=None,
        )
        if slowest is None:
            figure("Slowest median (s)", number(None), "no duration is known", LATENCY.line)
            return
        figure(
            "Slowest median (s)",
            number(slowest["latency_p50_s"]),
            f"{code_span(slowest['judge_id'])} · p90 {number(slowest['latency_p90_s'])} s, "
            f"p99 {number(slowest['latency_p99_s'])} s · "
            f"{plural(int(slowest['latency_known_count']), 'request')}",
            LATENCY.line,
        )


def _retries(totals: Row) -> str:
    if is_missing(totals["retry_count"]):
        return "retries not recorded"
    return plural(int(totals["retry_count"]), "retry", "retries")


if __name__ == "__main__":
    draw(page)
