"""What was sent, what came back, and how was it read? One request as a trace."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import NotThere, change_url, choose_one
from dashboard.core.commands import CommandFailed
from dashboard.core.findings import Finding, Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import (
    COST,
    LATENCY,
    code_span,
    count,
    escape_markdown,
    is_missing,
    number,
    plural,
)
from dashboard.core.widgets import ANY_SIZE, figure, headline, how_computed, table
from dashboard.runs import trace as tracing
from dashboard.runs.findings import status_words
from dashboard.speeches.evidence import how_it_ended, kept_in
from warehouse.home import find_home
from warehouse.reader import Version

PAGE = "request"
_TEXT_HEIGHT = 420


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("One request")
    asked = st.query_params.get("request")
    if asked is None:
        _nothing_asked()
        return
    answer = tracing.request(version, asked)
    rows = {str(row["response_id"]): row for row in answer.rows}
    if not rows:
        raise NotThere("request", [asked])
    row = rows[_choose(asked, rows)]
    headline(_finding(row))
    _figures(row)
    st.subheader("What came back", anchor=False)
    _reply(row)
    _journal(version, row)
    how_computed([COST, LATENCY], [("The answers to this request", answer)])


def _nothing_asked() -> None:
    def look_up() -> None:
        change_url({"request": st.session_state[f"{PAGE}_id"].strip() or None})

    st.markdown(
        "**No request is named.** The pages Runs, Search and Review link to single requests. Or "
        "give the id of one, or of one of its answers:"
    )
    st.text_input("Request", key=f"{PAGE}_id", on_change=look_up, max_chars=600)


def _choose(asked: str, rows: Mapping[str, Row]) -> str:
    """Let the reader choose among the answers of several runs to the same request."""
    if asked in rows or len(rows) == 1:
        return asked if asked in rows else next(iter(rows))
    st.caption(f"{count(len(rows))} runs hold an answer to this request.")
    return choose_one(
        PAGE, "answer", "Answer of the run", {one: str(row["run_id"]) for one, row in rows.items()}
    )


def _finding(row: Row) -> Finding:
    about = row["item_id"] if not is_missing(row["item_id"]) else row["debate_id"]
    value = _value(row)
    end = f"read as {value}" if value else escape_markdown(status_words(row["answer_status"]))
    return Finding(
        f"{code_span(row['judge_id'])} was asked about {code_span(about)}: {end}.",
        f"Prompt {code_span(row['template'])} · repeat {count(row['sample'])} · experiment "
        f"{code_span(row['experiment'])} · run {code_span(row['run_id'])}",
    )


def _value(row: Row) -> str:
    if not is_missing(row["score"]):
        return f"the score {escape_markdown(row['score'])}"
    if not is_missing(row["winner"]):
        p_pro = "" if is_missing(row["p_pro"]) else f" (p of Pro {number(row['p_pro'])})"
        return f"{escape_markdown(str(row['winner']).capitalize())}{p_pro}"
    return ""


def _figures(row: Row) -> None:
    boxes = st.columns(4)
    with boxes[0]:
        figure(
            "Tries",
            count(row["attempts"]),
            "sent until there was an outcome" if row["attempts"] else "not counted, or never sent",
            meaning("attempts"),
        )
    with boxes[1]:
        cached = row["tokens_cached"]
        figure(
            "Tokens",
            f"{number(row['tokens_in'])} in, {number(row['tokens_out'])} out",
            "cached part unknown" if is_missing(cached) else f"{count(cached)} of them cached",
            "As the endpoint billed them.",
        )
    with boxes[2]:
        note = (
            "price unknown" if is_missing(row["cost_usd"]) else "by the price file, or as charged"
        )
        figure("Cost (USD)", number(row["cost_usd"]), note, meaning("cost_usd"))
    with boxes[3]:
        at = row["answered_at"]
        when = "time unknown" if is_missing(at) else f"{at:%Y-%m-%d %H:%M:%S} UTC"
        seconds = row["latency_s"]
        is_instant = not is_missing(seconds) and 0 < seconds < 0.001
        figure("Seconds", "< 0.001" if is_instant else number(seconds), when, LATENCY.line)


def _reply(row: Row) -> None:
    if not is_missing(row["error_message"]):
        st.code(row["error_message"], language=None, wrap_lines=True)
    if is_missing(row["response"]):
        st.markdown("No text came back, or the answer came as a bare value.")
    elif row["response"].strip():
        st.code(row["response"], language=None, wrap_lines=True)
    else:
        st.markdown("An empty text came back.")
    reason = "" if is_missing(row["parse_reason"]) else f": {escape_markdown(row['parse_reason'])}"
    said = [f"**How it was read**: {escape_markdown(row['parse_status'])}{reason}"]
    form = (
        "as text" if is_missing(row["answer_format"]) else f"as {code_span(row['answer_format'])}"
    )
    said.append(f"by the rules for a {escape_markdown(row['answer_kind'])}, {form}")
    if not is_missing(row["parser_version"]):
        said.append(f"rules of version {code_span(row['parser_version'])}")
    st.markdown(" · ".join([*said, *how_it_ended(row)]))
    if kept := kept_in(row):
        st.caption(f"Kept in {kept}")


def _journal(version: Version, row: Row) -> None:
    st.subheader("Every try", anchor=False)
    try:
        with st.spinner("Reading the journal, and making the prompt again"):
            found = tracing.trace(version.name, str(find_home().root), str(row["response_id"]))
    except CommandFailed as error:
        st.markdown("The journal and the prompt cannot be shown:")
        st.code(str(error), language=None, wrap_lines=True)
        return
    _tries(found)
    st.subheader("The prompt as sent", anchor=False)
    if found.get("prompt") is None:
        st.markdown(f"Not shown: {escape_markdown(found['why_no_prompt'])}.")
        return
    st.caption(
        "Made again from experiment, settings, prompt file and text; its id, a hash of all that "
        "was sent, is the same."
    )
    for name, label in (("system", "System message"), ("prompt", "Prompt")):
        if found.get(name):
            st.markdown(f"**{label}**")
            with st.container(height=_TEXT_HEIGHT if len(found[name]) > 1_500 else "content"):
                st.text(found[name])
    if "run" in found:
        st.markdown("**Settings**")
        st.json(found["run"], expanded=False)


def _tries(found: dict[str, Any]) -> None:
    rows, lost = tracing.tries(found["lines"])
    if not rows:
        st.markdown("No journal of this answer is kept: it was imported.")
        return
    table(pd.DataFrame(rows).dropna(axis=1, how="all"), formats={"seconds": ANY_SIZE})
    st.caption(
        f"{plural(max(row['start'] for row in rows), 'start')} of the run asked for it. A row is "
        "one try."
    )
    if lost:
        st.caption(
            f"{plural(lost, 'earlier try', 'earlier tries')} failed without a record: error and "
            "wait are kept since Rostrum writes them into the journal."
        )


if __name__ == "__main__":
    draw(page)
