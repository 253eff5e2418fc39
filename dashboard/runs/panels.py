"""What the page about runs is made of: bars of statuses, seconds, the table, the failures."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard.core import queries
from dashboard.core.charts import JUDGES_DRAWN, warning
from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import (
    LATENCY,
    code_span,
    count,
    counts_text,
    is_missing,
    number,
    plural,
    share,
    share_in,
)
from dashboard.core.series import Look, looks
from dashboard.core.tables import listed
from dashboard.core.widgets import (
    ANY_SIZE,
    close_button,
    download,
    draw_chart,
    first_screen,
    opening_table,
    table,
)
from dashboard.core.words import EXPERIMENTS, words_alone
from dashboard.runs import charts as run_charts
from dashboard.runs.findings import chart_title, latency_title, status_words
from dashboard.speeches import evidence
from warehouse.reader import Version

_ROW_HEIGHT, _HEADER_HEIGHT, _MOST_ROWS = 35, 38, 9
# What the first screen leaves room for.
_RUNS_FIRST = 7


def label(run: Row) -> str:
    """Return what stands beside a run: its judge, and what tells two runs of one judge apart."""
    run_id = str(run["run_id"])
    # The id of an import is its file's hash and the judge, in which two hyphens may stand.
    is_import = run_id.startswith("import-")
    name = "-".join(run_id.split("-")[:2]) if is_import else run_id.rpartition("--")[2]
    return (
        f"{warning(run['failure_share'])}{run['judge_id']}\n"
        f"{words_alone(run['experiment'], EXPERIMENTS)}, {name}"
    )


def outcomes(runs: Sequence[Row], statuses: pd.DataFrame) -> None:
    """Draw the outcomes of each run's requests, the worst run first.

    Args:
        runs: From `queries.runs`.
    """
    known = [row for row in runs if row["request_count"] or row["unasked_count"]]
    if known:
        first_screen(known, _RUNS_FIRST, "run", _outcomes, records(statuses))
    else:
        st.markdown("None of these runs has planned a request.")


def _outcomes(runs: Sequence[Row], statuses: Sequence[Row]) -> None:
    drawn = {row["run_id"]: row for row in runs[:JUDGES_DRAWN]}
    if len(runs) > len(drawn):
        st.info(
            f"The chart shows the {len(drawn)} runs of {len(runs)} with the largest share of "
            "failures. The table below has all; choose an experiment or judges above to see others."
        )
    rows = [row for row in statuses if row["run_id"] in drawn]
    draw_chart(
        run_charts.statuses,
        listed(
            rows,
            {
                "label": lambda row: label(drawn[row["run_id"]]),
                "judge": lambda row: drawn[row["run_id"]]["judge_id"],
                "run": "run_id",
                "group": lambda row: run_charts.group_of(row["answer_status"]),
                "status": lambda row: status_words(row["answer_status"]),
                "share": "share",
                "requests": lambda row: (
                    f"{count(row['amount'])} ({share(row['share'], None, None)})"
                ),
            },
        ),
        [label(row) for row in drawn.values()],
        title=chart_title(list(drawn.values())),
        note=(
            "One bar per run, the one with the largest share of failures first. "
            "⚠: more than 5 % failed."
        ),
    )


def seconds(version: Version, runs: Sequence[Row]) -> None:
    """Draw how long requests took, the slowest run first."""
    st.subheader("How long did a request take?", anchor=False)
    known = [row for row in runs if not is_missing(row["latency_p50_s"])]
    if not known:
        st.markdown("No run here says how long its requests took.")
        return
    st.caption(LATENCY.line)
    ranked = sorted(known, key=lambda row: -float(row["latency_p50_s"]))[:JUDGES_DRAWN]
    left_out = len(runs) - len(ranked)
    if left_out:
        st.caption(
            f"{plural(left_out, 'run')} not drawn: no known duration, or faster than those here."
        )
    judges = looks(queries.judges(version).frame["judge_id"])
    first_screen(ranked, _RUNS_FIRST, "run", _seconds, judges)


def _seconds(ranked: Sequence[Row], judges: Mapping[str, Look]) -> None:
    draw_chart(
        run_charts.latencies,
        listed(
            ranked,
            {
                "label": label,
                "judge": "judge_id",
                "judge_id": "judge_id",
                "run": "run_id",
                "p50": "latency_p50_s",
                "p90": "latency_p90_s",
                "p99": "latency_p99_s",
                "seconds": lambda row: " / ".join(
                    number(row[f"latency_{name}_s"]) for name in run_charts.PERCENTILES
                ),
                "n": lambda row: plural(int(row["latency_known_count"]), "request"),
            },
        ),
        [label(row) for row in ranked],
        judges,
        title=latency_title(ranked),
        note="One row per run, the slowest first. The scale is stretched near zero.",
    )


def run_table(answer: Answer) -> None:
    """Show every run with what it asked, what came of it and what it cost."""
    runs = answer.frame
    rows = records(runs)
    table(
        pd.DataFrame(
            {
                "judge": runs["judge_id"],
                "experiment": runs["experiment"],
                "prompt": runs["template"],
                "status": runs["status"],
                "planned": runs["planned_count"],
                "answered": runs["answered_count"],
                "read": runs["parsed_count"],
                "failed": [share_in(row, "failure_share") for row in rows],
                "unparsed": [share_in(row, "unparsed_share") for row in rows],
                "why unparsed": [counts_text(one) for one in runs["unparsed_by_reason"]],
                "errors by kind": [counts_text(one) for one in runs["errors_by_kind"]],
                "retries": runs["retry_count"],
                "tokens in": runs["tokens_in"],
                "of them cached": runs["tokens_cached"],
                "tokens out": runs["tokens_out"],
                "cost (USD)": runs["cost_usd"],
                "known part (USD)": runs["cost_known_usd"],
                "requests with known cost": runs["cost_known_count"],
                "requests sent": runs["sent_count"],
                "median seconds": runs["latency_p50_s"],
                "slowest tenth, from": runs["latency_p90_s"],
                "slowest hundredth, from": runs["latency_p99_s"],
                "asked without": runs["omitted_parameters"],
                "stale": runs["stale_count"],
                "started (UTC)": runs["started_at"],
                "run": runs["run_id"],
            }
        ),
        formats=dict.fromkeys(
            (
                "cost (USD)",
                "known part (USD)",
                "median seconds",
                "slowest tenth, from",
                "slowest hundredth, from",
            ),
            ANY_SIZE,
        ),
        raw=answer,
        name="runs",
    )


def failures(page: str, version: Version, answer: Answer) -> None:
    """Show how requests failed; selecting a row shows an example as it came."""
    st.subheader("What went wrong?", anchor=False)
    found = answer.frame
    if found.empty:
        st.markdown("No request of these runs failed in this way.")
    else:
        st.caption(
            "The most frequent failure first. Select a row to read an example as it came. Texts "
            "are the models' and endpoints' own."
        )
        _failure_table(page, found)
        download(found, "failures")
    _example(page, version)


def _failure_table(page: str, found: pd.DataFrame) -> None:
    shown = pd.DataFrame(
        {
            "judge": found["judge_id"],
            "what happened": [status_words(one) for one in found["answer_status"]],
            "requests": found["failure_count"],
            "of": found["request_count"],
            "share": [share_in(row, "share") for row in records(found)],
            "example, its start": found["example"],
            "status": found["answer_status"],
            "run": found["run_id"],
        }
    )
    opening_table(
        page,
        shown,
        {"answer": list(found["example_response_id"])},
        wide="example, its start",
        height=_HEADER_HEIGHT + _ROW_HEIGHT * min(_MOST_ROWS, len(shown)),
        then_forget=(),
    )


def _example(page: str, version: Version) -> None:
    """Show the answer the URL names, if it names one."""
    response_id = st.query_params.get("answer")
    if response_id is None:
        return
    with st.container(border=True):
        heading, closing = st.columns([8, 1], vertical_alignment="top")
        with heading:
            st.markdown(f"**One answer as it came**: {code_span(response_id)}")
        with closing:
            close_button(page, ["answer"])
        evidence.raw_answer(version, response_id)
        st.page_link(
            "pages/request.py",
            label="Show the whole request",
            query_params={"request": response_id},
        )
