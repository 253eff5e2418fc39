"""Ask the published warehouse anything, in SQL. Read-only."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core import queries
from dashboard.core.chart_files import behind
from dashboard.core.choices import change_url, choose_one
from dashboard.core.data import FREE_LIMITS, ROWS_SHOWN, Answer, ask_freely, frame_of
from dashboard.core.labels import code_span, count, escape_markdown, is_missing, plural
from dashboard.core.widgets import download, draw_chart
from dashboard.sql import chart, saved
from dashboard.sql.editor import editor
from warehouse.errors import QueryFailed, VersionGone
from warehouse.home import find_home
from warehouse.reader import Version

PAGE = "sql"
EDITOR = f"{PAGE}_editor"
SAVED = "Saved: "
# URL parameters that say how the result is drawn.
DRAWING = ("x", "y", "form")
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
    kept = _kept()
    left, right = st.columns([8, 3], vertical_alignment="bottom")
    with left:
        st.selectbox(
            "Start from an example or a saved query",
            [*EXAMPLES, *(f"{SAVED}{name}" for name in kept)],
            index=None,
            key=f"{PAGE}_example",
            placeholder="Choose one; its query then stands below and runs",
            on_change=_take_example,
            args=(kept,),
        )
    with right:
        _keep(kept, asked)
    tables = queries.column_names(version).frame
    columns = dict(zip(tables["table_name"], tables["column_names"], strict=True))
    editor(wanted, columns, key=EDITOR, on_run=_take_text)
    if wanted == asked:
        _run(version, wanted)
    else:
        st.info("This query comes from the address. Read it, then press **Run**.")
    _schema(version)


def _kept() -> dict[str, str]:
    try:
        return saved.saved(find_home())
    except saved.NotSaved as error:
        st.warning(escape_markdown(error))
        return {}


def _keep(kept: Mapping[str, str], query: str) -> None:
    """Offer to keep the query that ran last, and to forget those kept."""
    with st.popover("Save this query", width="stretch"):
        st.caption("It is kept in this home, for all who use it. A query of the same name goes.")
        st.text_input("Name", key=f"{PAGE}_name", max_chars=saved.NAME_LENGTH)
        st.button("Save", key=f"{PAGE}_save", on_click=_save, args=(query,))
        if kept:
            st.selectbox("Saved", list(kept), key=f"{PAGE}_saved")
            st.button("Forget it", key=f"{PAGE}_forget", on_click=_forget)
    if said := st.session_state.pop(f"{PAGE}_not_saved", None):
        st.error(escape_markdown(said))


def _save(query: str) -> None:
    try:
        saved.save(find_home(), st.session_state[f"{PAGE}_name"], query)
    except saved.NotSaved as error:
        st.session_state[f"{PAGE}_not_saved"] = str(error)


def _forget() -> None:
    try:
        saved.remove(find_home(), st.session_state[f"{PAGE}_saved"])
    except saved.NotSaved as error:
        st.session_state[f"{PAGE}_not_saved"] = str(error)


def _take_example(kept: Mapping[str, str]) -> None:
    if chosen := st.session_state[f"{PAGE}_example"]:
        _remember(EXAMPLES.get(chosen) or kept[chosen.removeprefix(SAVED)])


def _take_text() -> None:
    _remember(st.session_state[EDITOR].run)
    st.session_state[f"{PAGE}_example"] = None


def _remember(query: str) -> None:
    st.session_state[f"{PAGE}_ran"] = query
    # What is drawn of a result are columns of that result.
    change_url({"q": query if len(query) <= LINK_LENGTH else None, **dict.fromkeys(DRAWING)})


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
    _draw(frame, query)


def _draw(frame: pd.DataFrame, query: str) -> None:
    """Offer a chart of the result: which columns, and how."""
    values = chart.numbers_of(frame)
    if len(frame) < 2 or not values:
        return
    st.subheader("Draw it", anchor=False)
    boxes = st.columns([4, 4, 3])
    with boxes[0]:
        x = choose_one(PAGE, "x", "Along", list(frame.columns), default=chart.along_of(frame))
    with boxes[1]:
        y = choose_one(
            PAGE,
            "y",
            "Value",
            values,
            explain="Columns of the same name with _low and _high are drawn as its interval.",
        )
    with boxes[2]:
        form = choose_one(PAGE, "form", "As", list(chart.FORMS))
    if len(frame) > chart.DRAWN:
        st.caption(f"The chart shows the first {count(chart.DRAWN)} rows.")
    if frame[y].isna().all():
        st.markdown(f"No row has a value of {code_span(y)}, so nothing is drawn.")
        return
    with behind(Answer(frame, query)):
        draw_chart(chart.result_chart, frame, x, y, form)


def _schema(version: Version) -> None:
    st.subheader("Tables and columns", anchor=False)
    st.caption(
        "dim_ tables describe things, fct_ tables hold one row per score, rpt_ tables answer one "
        "question each. Select a table to see its columns."
    )
    tables = queries.tables(version).rows
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
            for row in queries.columns(version, table).rows
        ],
        hide_index=True,
        placeholder="–",
        height=420,
    )


def _one_line(comment: Any) -> str | None:
    return None if is_missing(comment) else " ".join(str(comment).split())


if __name__ == "__main__":
    draw(page)
