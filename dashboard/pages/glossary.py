"""What every measure and every column means, as the catalogue has it."""

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core import queries
from dashboard.core.choices import asked_for, change_url
from dashboard.core.glossary import BETTER, Entry, catalogue, found, range_of, terms
from dashboard.core.labels import code_span, count, escape_markdown, plural
from dashboard.core.widgets import opening_table
from warehouse.catalogue import Measure
from warehouse.reader import Version

PAGE = "glossary"


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Glossary")
    measures, columns = catalogue().measures, terms()
    st.markdown(
        f"**{plural(len(measures), 'measure')} and {plural(len(columns), 'further column')}** of "
        "the published tables, each with its meaning. Select a measure to read how it is computed, "
        "where the papers print it, and which tables have it; its address can be shared."
    )
    term = asked_for("term", measures)
    if term:
        _measure(version, term, measures[term])
    key = f"{PAGE}_find"
    st.session_state[key] = st.query_params.get("find", "")
    words = st.text_input(
        "Search measures and columns",
        key=key,
        placeholder="kappa, calibration, Table 2, rpt_bias_battery …",
        on_change=lambda: change_url({"find": st.session_state[key] or None}),
    )
    _measures(found([Entry.of(name, one) for name, one in measures.items()], words), words)
    _columns(found(columns, words), words)


def _measure(version: Version, name: str, measure: Measure) -> None:
    with st.container(border=True):
        st.subheader(escape_markdown(measure.name), anchor=name)
        st.markdown(escape_markdown(measure.meaning))
        facts = {
            "Column": name,
            "Unit": measure.unit,
            "Range": range_of(measure) or "no bound",
            "Better": BETTER[measure.direction],
            "Paper": measure.paper or "in none of the papers",
        }
        st.markdown("  \n".join(f"**{one}:** {escape_markdown(facts[one])}" for one in facts))
        if measure.definition:
            st.markdown(f"**How it is computed.** {escape_markdown(measure.definition)}")
        tables = [str(row["table_name"]) for row in queries.having(version, name).rows]
        if tables:
            st.markdown(f"**In {plural(len(tables), 'table')}.**")
        with st.container(horizontal=True):
            for table in tables:
                query = f'select * from "{table}" limit 100'
                st.page_link("pages/sql.py", label=code_span(table), query_params={"q": query})
        st.button("Close", key=f"{PAGE}_close", on_click=change_url, args=({"term": None},))


def _measures(entries: list[Entry], words: str) -> None:
    st.subheader("Measures", anchor="measures")
    if not entries:
        st.text(f"No measure has “{words}”.")
        return
    measures = [catalogue().measures[entry.column] for entry in entries]
    shown = pd.DataFrame(
        {
            "measure": [one.name for one in measures],
            "meaning": [one.meaning for one in measures],
            "range": [range_of(one) or None for one in measures],
            "better": [BETTER[one.direction] for one in measures],
            "paper": [one.paper or None for one in measures],
            "column": [entry.column for entry in entries],
        }
    )
    opening_table(
        PAGE,
        shown,
        {"term": [entry.column for entry in entries]},
        wide="meaning",
        height=460,
        name="measures",
        then_forget=(),
    )


def _columns(entries: list[Entry], words: str) -> None:
    st.subheader("Columns that are no measure", anchor="columns")
    if not entries:
        st.text(f"No further column has “{words}”.")
        return
    st.caption(
        f"{count(len(entries))}. A name means the same in every table, unless a table is named."
    )
    st.dataframe(
        pd.DataFrame(
            {
                "column": [entry.column for entry in entries],
                "table": [entry.mart or None for entry in entries],
                "meaning": [entry.text for entry in entries],
            }
        ),
        hide_index=True,
        placeholder="every table",
        height=420,
        column_config={"meaning": st.column_config.TextColumn(width="large")},
    )


if __name__ == "__main__":
    draw(page)
