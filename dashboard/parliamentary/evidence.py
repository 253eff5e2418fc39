"""One debate opened: the panel beside a judge, the eight speeches, the judge's own words."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.core.choices import choose_one
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import code_span, count, escape_markdown, is_missing, plural
from dashboard.core.tables import listed
from dashboard.core.widgets import close_button, download, opening_table, table
from dashboard.parliamentary import queries
from dashboard.parliamentary.labels import (
    FAULTS,
    HOUSE_RANKS,
    SPEAKER_RANKS,
    SPEAKER_SCORES,
    house_name,
    role_name,
)
from dashboard.parliamentary.queries import DEBATES_LISTED, Room
from dashboard.speeches.evidence import raw_answer
from warehouse.reader import Version

TEXT_HEIGHT = 560


def debates(page: str, version: Version, room: Room) -> list[tuple[str, Answer]]:
    """List the debates, open the one the URL names, and return what was asked."""
    answer = queries.debates(version, room)
    rows = answer.rows
    st.caption(
        "Those on which the houses stand farthest from the panel come first. Select a row to read "
        "the debate, the panel's result beside a judge's, and the judge's own words."
    )
    shown = listed(
        rows,
        {
            "motion": "motion",
            "tournament": "tournament",
            "round": "round",
            "houses: sum of rank differences": "house_difference_sum",
            "over places": "house_values",
            "scores: sum of differences": "score_difference_sum",
            "over speeches": "speech_values",
            "words": "word_count",
            "panel": "panel_size",
            "judged": "is_judged",
            "why not": "removal_reason",
            "debate": "debate_id",
        },
    )
    opening_table(
        page,
        shown,
        {"debate": [row["debate_id"] for row in rows]},
        wide="motion",
        formats={"scores: sum of differences": "%.1f"},
        height=320 if len(rows) > 7 else None,
    )
    if len(rows) == DEBATES_LISTED:
        st.caption(f"The table lists {DEBATES_LISTED} debates at most; the SQL page has all.")
    download(answer.frame, "parliamentary_debates")
    asked = st.query_params.get("debate")
    opened = [] if asked is None else _debate(page, version, room, asked)
    return [("Debates", answer), *opened]


def _debate(page: str, version: Version, room: Room, debate_id: str) -> list[tuple[str, Answer]]:
    found = queries.debate(version, debate_id).rows
    with st.container(border=True):
        heading, closing = st.columns([8, 1], vertical_alignment="top")
        with closing:
            close_button(page, ("debate", "answer"))
        if not found:
            heading.markdown(
                f"The link names the debate {code_span(debate_id)}, which this version lacks."
            )
            return []
        with heading:
            _about(found[0])
        answers = queries.answers(version, room, debate_id)
        places = _answers(page, version, answers.rows)
        _speeches(version, debate_id)
    return [("Answers on this debate", answers), *places]


def _about(row: Row) -> None:
    unknown = "Motion unknown"
    st.markdown(f"#### {unknown if is_missing(row['motion']) else escape_markdown(row['motion'])}")
    if not is_missing(row["info_slide"]):
        st.markdown(f"**Info slide.** {escape_markdown(row['info_slide'])}")
    said = [code_span(row["debate_id"])]
    said += [
        escape_markdown(row[name])
        for name in ("tournament", "round", "room")
        if not is_missing(row[name])
    ]
    said.append(plural(int(row["word_count"]), "word"))
    if not is_missing(row["panel_size"]):
        said.append(f"panel of {count(row['panel_size'])}")
    if not is_missing(row["is_contentious"]):
        said.append("contentious" if row["is_contentious"] else "not contentious")
    st.caption(" · ".join(said))
    if not is_missing(row["removal_reason"]):
        st.warning(f"No judge reads this debate: {escape_markdown(row['removal_reason'])}")


def _answers(page: str, version: Version, answers: Sequence[Row]) -> list[tuple[str, Answer]]:
    if not answers:
        st.markdown("No judge in view has answered on this debate.")
        return []
    by_id = {str(row["response_id"]): row for row in answers}
    chosen = choose_one(
        page,
        "answer",
        "Held against the panel",
        {one: _answer_name(row) for one, row in by_id.items()},
    )
    row = by_id[chosen]
    answer = queries.places(
        version, str(row["debate_id"]), str(row["setting_id"]), int(row["sample"])
    )
    values = {(one["task"], one["place"]): one for one in answer.rows}
    st.markdown("**The eight speakers**")
    _speakers(values)
    st.markdown("**The four houses**")
    _houses(values)
    if not is_missing(row["faults"]):
        found = (FAULTS.get(name, name) for name in str(row["faults"]).split(", "))
        st.markdown(f"⚠ Faults: {escape_markdown('; '.join(found))}")
    st.markdown("**The judge's words**")
    raw_answer(version, chosen)
    if not is_missing(row["context_tokens"]):
        kind = "counted" if row["is_context_exact"] else "estimated"
        st.caption(f"{count(row['context_tokens'])} tokens in context, {kind}")
    return [("Values of this answer", answer)]


def _answer_name(row: Row) -> str:
    name = f"{row['judge_id']}, sample {count(row['sample'])}"
    if not is_missing(row["named_order"]):
        name += f", houses named {str(row['named_order']).upper()}"
    return f"{name}: {str(row['answer_status']).replace('_', ' ')}"


Values = dict[tuple[str, str], dict[str, object]]


def _cells(values: Values, task: str, places: Sequence[str], column: str) -> list[object]:
    return [values.get((task, place), {}).get(column) for place in places]


def _why(values: Values, places: Sequence[str], tasks: Sequence[str]) -> list[str | None]:
    """Return for each place why something of it is unknown, once each."""
    found = []
    for place in places:
        reasons = [values.get((task, place), {}).get("reason") for task in tasks]
        known = dict.fromkeys(str(one).replace("_", " ") for one in reasons if not is_missing(one))
        found.append(", ".join(known) or None)
    return found


def _speakers(values: Values) -> None:
    asked = {task for task, _ in values}
    tasks = [task for task in (SPEAKER_SCORES, SPEAKER_RANKS) if task in asked]
    if not tasks:
        st.markdown("This answer was not asked about speakers.")
        return
    places = list(dict.fromkeys(place for task, place in values if task in tasks))
    columns: dict[str, list[object]] = {"speaker": [role_name(place) for place in places]}
    for task, what in ((SPEAKER_SCORES, "score"), (SPEAKER_RANKS, "rank")):
        if task in tasks:
            columns |= {
                f"official {what}": _cells(values, task, places, "official"),
                f"judge's {what}": _cells(values, task, places, "predicted"),
                f"{what} difference": _cells(values, task, places, "difference"),
            }
    _value_table(columns, places, values, tasks)


def _houses(values: Values) -> None:
    places = [place for task, place in values if task == HOUSE_RANKS]
    if not places:
        st.markdown("This answer was not asked about houses.")
        return
    columns: dict[str, list[object]] = {
        "house": [house_name(place) for place in places],
        "official rank": _cells(values, HOUSE_RANKS, places, "official"),
        "judge's rank": _cells(values, HOUSE_RANKS, places, "predicted"),
        "difference": _cells(values, HOUSE_RANKS, places, "difference"),
    }
    _value_table(columns, places, values, [HOUSE_RANKS])


def _value_table(
    columns: dict[str, list[object]], places: Sequence[str], values: Values, tasks: Sequence[str]
) -> None:
    why = _why(values, places, tasks)
    if any(why):
        columns["why unknown"] = list(why)
    frame = pd.DataFrame(columns)
    numbers = [name for name in columns if name not in ("speaker", "house", "why unknown")]
    for name in numbers:
        frame[name] = pd.to_numeric(frame[name])
    table(
        frame,
        formats={name: "%+.3g" if name.endswith("difference") else "%.4g" for name in numbers},
    )


def _speeches(version: Version, debate_id: str) -> None:
    st.markdown("**The transcript**")
    speeches = queries.speeches(version, debate_id).rows
    if not speeches:
        st.markdown(
            "Its text is not in this version: only debates that a judge has read are published "
            "with their texts."
        )
        return
    with st.container(height=TEXT_HEIGHT):
        for speech in speeches:
            speaker = (
                ""
                if is_missing(speech["speaker"])
                else (f" · {escape_markdown(speech['speaker'])}")
            )
            st.caption(
                f"**{escape_markdown(role_name(speech['role']))}**{speaker} · "
                f"{plural(int(speech['word_count']), 'word')}"
            )
            st.text(speech["text"])
