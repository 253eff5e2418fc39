"""One transcript opened: what was heard against what was made of it, and the form to decide it."""

import shlex
from collections.abc import Sequence

import streamlit as st

from dashboard.core.data import LIFETIME, Answer, asking, query
from dashboard.core.findings import Row
from dashboard.core.handing_in import why_not_writable
from dashboard.core.labels import capital, code_span, escape_markdown, is_missing, number, plural
from dashboard.parliamentary.labels import ROLES, clock, role_name
from dashboard.parliamentary.transcripts.diff import LEGEND, diff_markdown, word_diff
from dashboard.parliamentary.transcripts.verification import (
    REJECT,
    VERIFY,
    Segment,
    fingerprint,
    hand_in,
    problems,
    waiting,
)
from warehouse.errors import WarehouseError
from warehouse.home import Home
from warehouse.reader import Version

NO_SPEECH = "none"
DIFF_HEIGHT, TEXT_HEIGHT = 360, 240
# Letters that do not fit into a diff's height.
LONG_TEXT = 1_200
_STATUS = {
    "kept": "corrected within the limit",
    "reverted": "correction over the limit: the raw text stands",
    "raw": "no corrector: the raw text stands",
    "edited": "edited by the verifier",
}
_NEXT = (
    "While `rostrum serve` runs, it is taken from the inbox and published within a minute or so. "
    "Otherwise load it with these commands; a verified transcript then becomes a debate:"
)


# Every transcript; those that wait for a person first, the least alike text foremost.
queue = query("""
select *
from rpt_transcript_queue
order by
    list_position(['waiting', 'incomplete', 'rejected', 'verified'], status) nulls first,
    word_error_rate desc nulls last, title, transcript_id""")

# The segments of one transcript, in order.
segments = asking("dim_transcript_segment", "position", "transcript_id = $transcript")


def transcript(page: str, version: Version, home: Home, row: Row) -> Answer:
    """Show one transcript and the form that verifies or rejects it.

    Args:
        home: Whose inbox takes the decision.
        row: The transcript, from `queue`.
    """
    answer = segments(version, row["transcript_id"])
    parts = answer.rows
    st.markdown(f"#### {escape_markdown(row['title'])}")
    _about(row)
    if row["status"] in ("verified", "rejected"):
        for segment in parts:
            with st.expander(_title(segment)):
                _diff(segment)
        return answer
    for path in waiting(home, str(row["transcript_id"])):
        st.info(f"A decision about it waits in the inbox: {code_span(path.name)}")
    st.markdown(LEGEND)
    said = {
        "transcriber": "Listen to the recording beside it.",
        "corrector": "The diff shows what the corrector changed.",
    }
    if told := " ".join(words for name, words in said.items() if not is_missing(row[name])):
        st.caption(told)
    _form(page, home, str(row["transcript_id"]), parts)
    return answer


def _about(row: Row) -> None:
    for label, name in (("Motion", "motion"), ("Info slide", "info_slide")):
        known = "unknown" if is_missing(row[name]) else escape_markdown(row[name])
        st.markdown(f"**{label}.** {known}")
    said = [code_span(row["transcript_id"]), f"from {code_span(row['origin'])}"]
    for label, name in (
        ("heard by", "transcriber"),
        ("corrected by", "corrector"),
        ("cut by", "segmenter"),
    ):
        said.append(f"{label} {'nobody' if is_missing(row[name]) else code_span(row[name])}")
    st.caption(" · ".join(said))
    if not is_missing(row["verified_by"]):
        at = "" if is_missing(row["verified_at"]) else f", {row['verified_at']:%Y-%m-%d %H:%M} UTC"
        st.markdown(f"Decided by {escape_markdown(row['verified_by'])}{at}.")
    if not is_missing(row["reason"]):
        st.warning(escape_markdown(row["reason"]))


def _form(page: str, home: Home, transcript_id: str, segments: Sequence[Row]) -> None:
    blocked = why_not_writable(home, "transcripts can be read but not decided")
    if blocked:
        st.info(blocked)
    # A form belongs to the text it was opened on: after a new correction it begins afresh, instead
    # of handing in an old text as the new one.
    mark = fingerprint(transcript_id, *(one["current_text"] for one in segments))
    key = f"{page}_{mark}"
    with st.form(key, enter_to_submit=False):
        parts = [_part(key, segment) for segment in segments]
        first_free = max((part.position for part in parts), default=0) + 1
        for position in range(first_free, first_free + max(0, len(ROLES) - len(parts))):
            with st.expander(f"{position}. A further part, for a speech that was not cut out"):
                parts.append(_fields(key, position, None, ""))
        by = st.text_input("Your name", key=f"{key}_by", disabled=bool(blocked))
        left, right, _ = st.columns([2, 2, 5])
        verified = left.form_submit_button(
            "Verify", type="primary", key=f"{key}_verify", disabled=bool(blocked), width="stretch"
        )
        rejected = right.form_submit_button(
            "Reject", key=f"{key}_reject", disabled=bool(blocked), width="stretch"
        )
    if verified or rejected:
        _decide(home, transcript_id, VERIFY if verified else REJECT, by, parts)


def _decide(
    home: Home, transcript_id: str, decision: str, by: str, parts: Sequence[Segment]
) -> None:
    wrong = problems(decision, by, parts)
    if wrong:
        st.error("Nothing was handed in:\n" + "\n".join(f"- {one}" for one in wrong))
        return
    try:
        path = hand_in(home, transcript_id, decision, by, parts)
    except (OSError, WarehouseError) as error:
        st.error("The decision could not be written; nothing was handed in:")
        st.code(str(error), language=None, wrap_lines=True)
        return
    done = "verified" if decision == VERIFY else "rejected"
    st.success(f"Handed in as {done}: {code_span(path)}")
    st.markdown(_NEXT)
    st.code(f"rostrum import {shlex.quote(str(path))}", language="shell", wrap_lines=True)


def _part(key: str, segment: Row) -> Segment:
    with st.expander(_title(segment), expanded=int(segment["position"]) == 1):
        _diff(segment)
        role = None if is_missing(segment["role"]) else str(segment["role"])
        return _fields(key, int(segment["position"]), role, str(segment["current_text"]))


def _fields(key: str, position: int, role: str | None, text: str) -> Segment:
    options: list[str] = [*ROLES, NO_SPEECH]
    chosen = st.selectbox(
        f"Part {position} is the speech of",
        options,
        index=options.index(role if role is not None and role in ROLES else NO_SPEECH),
        key=f"{key}_role_{position}",
        format_func=lambda one: "no speech" if one == NO_SPEECH else role_name(one),
    )
    kept = st.text_area(
        f"Text of part {position}", text, key=f"{key}_text_{position}", height=TEXT_HEIGHT
    )
    return Segment(position, None if chosen == NO_SPEECH else chosen, kept)


def _title(segment: Row) -> str:
    said = [f"{int(segment['position'])}. {role_name(segment['role'])}"]
    if not is_missing(segment["start_s"]) or not is_missing(segment["end_s"]):
        said.append(f"{clock(segment['start_s'])}–{clock(segment['end_s'])}")
    if not is_missing(segment["speaker"]):
        said.append(escape_markdown(segment["speaker"]))
    if not is_missing(segment["changed_words"]):
        said.append(f"{plural(int(segment['changed_words']), 'word')} changed")
    if segment["status"] == "reverted":
        said.append("⚠ correction not used")
    return " · ".join(said)


def _diff(segment: Row) -> None:
    status = _STATUS.get(str(segment["status"]), escape_markdown(segment["status"]))
    rate = ""
    if not is_missing(segment["word_error_rate"]):
        rate = f" · word error rate {number(segment['word_error_rate'])}"
    st.caption(f"{capital(status)}{rate}")
    if not is_missing(segment["reason"]):
        st.caption(escape_markdown(segment["reason"]))
    compared = next(
        (
            segment[name]
            for name in ("verified_text", "corrected_text")
            if not is_missing(segment[name])
        ),
        None,
    )
    is_long = len(str(segment["raw_text"])) > LONG_TEXT
    with st.container(height=DIFF_HEIGHT if is_long else "content", border=True):
        if compared is None:
            st.text(segment["raw_text"])
        else:
            st.markdown(_compared(str(segment["raw_text"]), str(compared)))


# Comparing a speech of two thousand words takes a tenth of a second, and there are eight.
@st.cache_data(ttl=LIFETIME, max_entries=200, show_spinner=False)
def _compared(raw: str, corrected: str) -> str:
    return diff_markdown(word_diff(raw, corrected))
