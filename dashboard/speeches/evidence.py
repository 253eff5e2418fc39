"""From a number back to what it was made of: the speech, its human scores, the raw answers."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.core import queries
from dashboard.core.choices import choose_one
from dashboard.core.data import View
from dashboard.core.findings import records
from dashboard.core.labels import code_span, count, escape_markdown, is_missing, number, plural
from dashboard.core.tables import band, formed, listed, listing
from dashboard.core.widgets import SCORE, close_button, download, draw_chart, opening_table, table
from dashboard.speeches import charts as speech_charts
from warehouse.reader import Version

TEXT_HEIGHT = 460
OPENED = ("item", "by", "answer")


def disagreements(page: str, worst: pd.DataFrame) -> None:
    """Show the speeches on which judges are farthest from people; selecting one opens it.

    Args:
        worst: From `queries.worst_disagreements`.
    """
    st.subheader("Where do judges and people disagree most?", anchor=False)
    if worst.empty:
        st.markdown("No judge's score of any speech can be compared with people here.")
        return
    st.caption(
        "Each judge's worst speech first. Select a row to read the speech, every human score and "
        "the judge's own answer."
    )
    shown = listed(
        records(worst),
        {
            "judge": "judge_id",
            "score": "score",
            "people's mean": "human_mean",
            "difference": "score_minus_human",
            "source": "source",
            "motion": "motion",
            "95 % interval of people's mean": band("human_mean"),
            "people": "n_ratings",
            "prompt": "template",
            "speech": "item_id",
        },
    )
    opening_table(
        page,
        shown,
        {"item": list(worst["item_id"]), "by": list(worst["judge_id"])},
        formats=dict.fromkeys(("score", "people's mean", "difference"), SCORE),
        height=320,
    )
    download(worst, "worst_disagreements")


def speech(page: str, version: Version, view: View, scale: tuple[float, float]) -> None:
    """Show the speech the URL names, if it names one.

    Args:
        view: What the page shows.
    """
    item_id = st.query_params.get("item")
    if item_id is None:
        return
    found = queries.item(version, item_id).rows
    with st.container(border=True):
        if not found:
            st.markdown(
                f"The link names the speech {code_span(item_id)}, which this version lacks."
            )
            close_button(page, OPENED)
            return
        item = found[0]
        heading, closing = st.columns([8, 1], vertical_alignment="top")
        with heading:
            st.markdown(f"#### {escape_markdown(item['motion'])}")
            st.caption(
                f"{code_span(item_id)} · source: {escape_markdown(item['source'])} · "
                f"{plural(int(item['word_count']), 'word')}"
            )
        with closing:
            close_button(page, OPENED)
        text, scores = st.columns([3, 2])
        answers = queries.item_answers(version, item_id, view.dimension).frame
        with text:
            st.markdown("**The speech**")
            with st.container(height=TEXT_HEIGHT):
                st.text(item["text"])
        with scores:
            _human_scores(queries.item_ratings(version, item_id, view.dimension).frame, scale)
        _answers(page, version, answers)


def _human_scores(ratings: pd.DataFrame, scale: tuple[float, float]) -> None:
    st.markdown(f"**What {plural(len(ratings), 'person', 'people')} gave it**")
    if ratings.empty:
        st.markdown("Nobody scored this speech.")
        return
    draw_chart(speech_charts.ratings, ratings, scale=scale)
    table(
        pd.DataFrame({"person": ratings["annotator_id"], "score": ratings["value"]}),
        formats={"score": "%g"},
        height=200,
    )


def _answers(page: str, version: Version, answers: pd.DataFrame) -> None:
    st.markdown(f"**What judges answered** ({plural(len(answers), 'answer')})")
    if answers.empty:
        st.markdown("No judge has answered on this speech.")
        return
    listing(
        records(answers),
        {
            "judge": "judge_id",
            "prompt": "template",
            "sample": "sample",
            "score": formed("value", "%g"),
            "read as": "parse_status",
            "why unreadable": "parse_reason",
            "counts": lambda row: (
                "yes"
                if row["is_current"]
                else "no, text has changed"
                if row["is_stale"]
                else "no, replaced"
            ),
            "answered (UTC)": "answered_at",
            "run": "run_id",
        },
    )
    names = {
        row["response_id"]: f"{row['judge_id']}, {row['template']}, sample {count(row['sample'])}: "
        + (f"score {number(row['value'])}" if not is_missing(row["value"]) else "no score")
        for row in records(answers)
    }
    raw_answer(version, _choose_answer(page, answers, names))


def _choose_answer(page: str, answers: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Let the reader choose an answer; first the one of the judge whose row was selected."""
    by = st.query_params.get("by")
    first = next(
        (row["response_id"] for row in records(answers) if row["judge_id"] == by), next(iter(names))
    )
    if by and by not in set(answers["judge_id"]):
        st.caption(
            f"{code_span(by)} has no answer of its own on this speech: an ensemble's score is made "
            "from its members' answers."
        )
    return choose_one(page, "answer", "Read the raw answer of", names, default=first)


def raw_answer(version: Version, response_id: str) -> None:
    """Show one answer as it came, why it could not be read, and where it is kept.

    Args:
        response_id: Which answer.
    """
    found = queries.response(version, response_id).rows
    if not found:
        st.markdown(f"The answer {code_span(response_id)} is not in this version.")
        return
    row = found[0]
    failed = row["request_status"] != "answered"
    if not is_missing(row["error_message"]):
        st.markdown("**The error**")
        st.code(row["error_message"], language=None, wrap_lines=True)
    if not is_missing(row["response"]):
        if failed:
            st.markdown("**What the endpoint sent instead of an answer**")
        if row["response"].strip():
            st.code(row["response"], language=None, wrap_lines=True)
        else:
            st.markdown("An empty text came back.")
    elif failed:
        st.markdown("No text came back.")
    else:
        st.markdown("This answer came as a bare value, without text.")
    st.caption(" · ".join(_about(row)))


def _about(row: Mapping[str, Any]) -> list[str]:
    """Return what is known of an answer, in Markdown; what nobody recorded is left out."""
    reason = "" if is_missing(row["parse_reason"]) else f" ({escape_markdown(row['parse_reason'])})"
    status = escape_markdown(row["parse_status"])
    if row["request_status"] != "answered":
        status, reason = "not answered", f" ({escape_markdown(row['answer_status'])})"
    at = "unknown" if is_missing(row["answered_at"]) else f"{row['answered_at']:%Y-%m-%d %H:%M} UTC"
    said = [
        f"Run {code_span(row['run_id'])}",
        f"prompt {code_span(row['template'])}",
        f"{status}{reason}",
        f"answered {at}",
    ]
    place = [f"kept in {kept}"] if (kept := kept_in(row)) else []
    return [*said, *how_it_ended(row), *place]


def how_it_ended(row: Mapping[str, Any]) -> list[str]:
    """Return why an answer ended, by which model and without which settings, where known."""
    return [
        f"{label} {code_span(row[name])}"
        for name, label in (
            ("finish_reason", "stopped for"),
            ("model_version", "model"),
            ("omitted_parameters", "asked without"),
        )
        if not is_missing(row[name])
    ]


def kept_in(row: Mapping[str, Any]) -> str:
    """Return in which file an answer is kept, and where in it; empty where that is unknown."""
    if is_missing(row["source_file"]):
        return ""
    place = "" if is_missing(row["source_record"]) else f", {row['source_record']}"
    return code_span(str(row["source_file"]) + place)
