"""From a key point to what it was made of: its sentences, the whole justification, the speech."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row, records
from dashboard.core.labels import (
    code_span,
    count,
    escape_markdown,
    is_missing,
    number,
    percent,
    plural,
)
from dashboard.core.tables import Column, band, formats_of, formed, listed, listing, percent_of
from dashboard.core.widgets import close_button, download, opening_table
from dashboard.speeches.evidence import TEXT_HEIGHT
from dashboard.speeches.why import queries as why_queries
from warehouse.reader import Version

TOP = 10
_NAMES = {"pro": "For the speech", "con": "Against it"}


def top_lists(page: str, points: Answer, judge: str) -> None:
    """Show what is said most for and against speeches; selecting a row opens it."""
    st.caption("Select a key point to read its sentences, their justifications and the speeches.")
    mine = [row for row in points.rows if row["judge_id"] == judge]
    for polarity, name in _NAMES.items():
        rows = [row for row in mine if row["polarity"] == polarity][:TOP]
        st.markdown(f"**{name}**")
        if rows:
            _list(page, polarity, rows)
        else:
            st.markdown("No key point: no two sentences say the same.")
    download(points.frame, "key_points")


def _list(page: str, polarity: str, rows: Sequence[Row]) -> None:
    columns: dict[str, Column] = {
        "key point": "key_point",
        "say it (%)": percent_of("justification_share"),
        "95 %": band("justification_share", 100),
        "justifications": lambda row: (
            f"{count(row['justification_count'])} of {count(row['n_justifications'])}"
        ),
        "sentences": "sentence_count",
        "of all sentences (%)": percent_of("sentence_share"),
        "95 % of them": band("sentence_share", 100),
        "why unknown": "undefined_reason",
    }
    opening_table(
        page,
        listed(rows, columns),
        {"point": [str(row["key_point_id"]) for row in rows]},
        wide="key point",
        formats=formats_of(columns),
        name=polarity,
        then_forget=("sentence",),
    )


def opened(
    page: str, version: Version, analysis: str, judge: str, points: Answer
) -> list[tuple[str, Answer]]:
    """Show the key point the URL names, if it names one.

    Returns:
        The queries asked, with their names.
    """
    asked = st.query_params.get("point")
    if asked is None:
        return []
    found = [
        row for row in points.rows if row["key_point_id"] == asked and row["judge_id"] == judge
    ]
    with st.container(border=True):
        heading, closing = st.columns([8, 1], vertical_alignment="top")
        with closing:
            close_button(page, ("point", "sentence"))
        if not found:
            heading.markdown(f"The link names {code_span(asked)}, which this analysis lacks.")
            return []
        said = why_queries.sentences(version, analysis, judge, asked)
        with heading:
            st.markdown(f"#### {escape_markdown(found[0]['key_point'])}")
            st.caption(
                f"{code_span(asked)} · {plural(len(said.frame), 'sentence')} · "
                f"{percent(found[0]['justification_share'])} of justifications. Select a sentence "
                "to read the whole justification and the speech."
            )
        _sentences(page, asked, said)
        sentence = st.query_params.get("sentence")
        if sentence is not None:
            _justification(version, analysis, sentence)
    return [("Sentences under the key point", said)]


def _sentences(page: str, point: str, said: Answer) -> None:
    if said.frame.empty:
        st.markdown("This judge says it nowhere.")
        return
    shown = listed(
        said.rows,
        {
            "sentence": "text",
            "similarity": "similarity",
            "judge": "judge_id",
            "score": "score",
            "source": "source",
            "motion": "motion",
        },
    )
    opening_table(
        page,
        shown,
        {"sentence": [str(one) for one in said.frame["sentence_id"]]},
        wide="sentence",
        formats={"similarity": "%.2f", "score": "%g"},
        height=260,
        name=f"sentences_{point}",
        then_forget=(),
    )
    download(said.frame, "key_point_sentences")


def _justification(version: Version, analysis: str, sentence: str) -> None:
    found = why_queries.justification(version, analysis, sentence).rows
    if not found:
        st.markdown(f"The link names the sentence {code_span(sentence)}, which is not here.")
        return
    row = found[0]
    score = "no score" if is_missing(row["score"]) else f"score {number(row['score'])}"
    st.markdown(f"**Why {code_span(row['judge_id'])} gave this speech its score** ({score})")
    st.code(row["justification"], language=None, wrap_lines=True)
    fates = why_queries.fates(version, analysis, row["request_id"]).frame
    listing(
        records(fates),
        {
            "sentence": "text",
            "polarity": "polarity",
            "under": "key_point",
            "similarity": formed("similarity", "%.2f"),
            "left out as": "removal_reason",
        },
    )
    if is_missing(row["text"]):
        st.markdown(f"The speech {code_span(row['item_id'])} is not in this version.")
        return
    st.markdown(f"**The speech**: {escape_markdown(row['motion'])}")
    st.caption(
        f"{code_span(row['item_id'])} · source: {escape_markdown(row['source'])} · "
        f"{plural(int(row['speech_words']), 'word')}"
    )
    with st.container(height=TEXT_HEIGHT):
        st.text(row["text"])
