"""Ask the published warehouse anything, in SQL. Read-only."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.app import draw
from dashboard.core import queries
from dashboard.core.data import FREE_LIMITS, ROWS_SHOWN, ask_freely, frame_of
from dashboard.core.findings import records
from dashboard.core.labels import code_span, count, is_missing, plural
from dashboard.core.widgets import download
from warehouse.errors import QueryFailed, VersionGone
from warehouse.reader import Version

PAGE = "sql"
# Longer queries run as well, but browsers and mail programs cut longer links.
LINK_LENGTH = 4_000

FIRST_TABLE = "rpt_rank_agreement"

EXAMPLES = {
    "How well does each judge rank speeches?": (
        "select dataset_id, judge_id, template, tau_c, tau_c_low, tau_c_high, n_items\n"
        "from rpt_rank_agreement\n"
        "order by dataset_id, tau_c desc"
    ),
    "How far do two people agree, and a judge with a person?": (
        "select dataset_id, judge_id, template, min_shared_items, mean_kappa, kappa_low,\n"
        "    kappa_high, pair_count\n"
        "from rpt_rater_agreement\n"
        "where min_shared_items = 50\n"
        "order by dataset_id, mean_kappa desc"
    ),
    "Which answers could not be read, and why?": (
        "select judge_id, template, parse_reason, count(*) as answers, any_value(response) as one\n"
        "from dim_response\n"
        "where parse_status = 'unparsed'\n"
        "group by all\n"
        "order by answers desc"
    ),
    "Who is harsh? Mean score per person": (
        "select dataset_id, annotator_id, count(*) as speeches, avg(value) as mean_score\n"
        "from fct_rating\n"
        "group by all\n"
        "order by mean_score"
    ),
    "Which speeches split people most?": (
        "select dim_item.motion, dim_item.source, count(*) as people,\n"
        "    avg(fct_rating.value) as mean_score, stddev_samp(fct_rating.value) as spread\n"
        "from fct_rating\n"
        "inner join dim_item on fct_rating.item_id = dim_item.item_id\n"
        "group by all\n"
        "order by spread desc\n"
        "limit 50"
    ),
    "What did each run cost?": (
        "select run_id, judge_id, answered_count, tokens_in, tokens_out, cost_usd,\n"
        "    cost_known_usd, cost_known_count, sent_count, latency_p50_s\n"
        "from rpt_run_health\n"
        "order by started_at desc"
    ),
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("SQL")
    st.markdown(
        "Ask the published warehouse anything, in DuckDB's SQL. It is **read-only**: nothing you "
        "write here can change or reach anything else. Limits: "
        f"{count(ROWS_SHOWN)} rows, {FREE_LIMITS.seconds:g} seconds, {FREE_LIMITS.memory} of "
        "memory."
    )
    first = next(iter(EXAMPLES.values()))
    asked = st.session_state.get(f"{PAGE}_ran", first)
    # Whoever made a link chose its query: it is shown, and runs when the reader says so.
    wanted = st.query_params.get("q") or asked
    st.selectbox(
        "Start from an example",
        list(EXAMPLES),
        index=None,
        key=f"{PAGE}_example",
        placeholder="Choose a question; its query then stands below and runs",
        on_change=_take_example,
    )
    st.session_state[f"{PAGE}_text"] = wanted
    with st.form(f"{PAGE}_form", border=False):
        st.text_area(
            "Query",
            key=f"{PAGE}_text",
            height=170,
            help="Ctrl+Enter runs it. The link in the address bar then holds the query.",
        )
        st.form_submit_button("Run", type="primary", on_click=_take_text)
    if wanted == asked:
        _run(version, wanted)
    else:
        st.info("This query comes from the address. Read it, then press **Run**.")
    _schema(version)


def _take_example() -> None:
    if chosen := st.session_state[f"{PAGE}_example"]:
        _remember(EXAMPLES[chosen])


def _take_text() -> None:
    _remember(st.session_state[f"{PAGE}_text"])
    st.session_state[f"{PAGE}_example"] = None


def _remember(query: str) -> None:
    st.session_state[f"{PAGE}_ran"] = query
    if len(query) <= LINK_LENGTH:
        st.query_params["q"] = query
    elif "q" in st.query_params:
        del st.query_params["q"]


def _run(version: Version, query: str) -> None:
    try:
        with st.spinner("Running the query"):
            result = ask_freely(version, query)
    except VersionGone:
        raise  # the app opens the newest version and runs the query there
    except QueryFailed as error:
        st.error("The query was refused or failed:")
        st.code(str(error), language=None, wrap_lines=True)
        return
    frame = frame_of(result)
    if result.truncated:
        st.warning(
            f"The first {count(ROWS_SHOWN)} rows. There are more: filter or group in the query, or "
            f"use {code_span('rostrum sql')} in a terminal."
        )
    else:
        st.caption(f"{plural(len(frame), 'row')}, {plural(len(frame.columns), 'column')}.")
    st.dataframe(frame, hide_index=True, placeholder="null")
    download(frame, "query_result")


def _schema(version: Version) -> None:
    st.subheader("Tables and columns", anchor=False)
    st.caption(
        "dim_ tables describe things, fct_ tables hold one row per score, rpt_ tables answer one "
        "question each. Select a table to see its columns."
    )
    tables = records(queries.tables(version).frame)
    event = st.dataframe(
        [
            {
                "table": row["table_name"],
                "rows": row["row_count"],
                "what it holds": _one_line(row["comment"]),
            }
            for row in tables
        ],
        hide_index=True,
        placeholder="–",
        key=f"{PAGE}_tables",
        on_select="rerun",
        selection_mode="single-row",
        height=320,
    )
    selected = event["selection"]["rows"]
    names = [str(row["table_name"]) for row in tables]
    table = names[selected[0]] if selected else FIRST_TABLE if FIRST_TABLE in names else names[0]
    st.markdown(f"**Columns of {code_span(table)}**")
    st.dataframe(
        [
            {
                "column": row["column_name"],
                "type": row["data_type"],
                "what it means": _one_line(row["comment"]),
            }
            for row in records(queries.columns(version, table).frame)
        ],
        hide_index=True,
        placeholder="–",
        height=420,
    )


def _one_line(comment: Any) -> str | None:
    return None if is_missing(comment) else " ".join(str(comment).split())


if __name__ == "__main__":
    draw(page)
