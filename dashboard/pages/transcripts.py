"""Which transcripts wait for a person, and is what stands in them what was said?"""

from collections.abc import Sequence

import streamlit as st

from dashboard.app import draw
from dashboard.core.data import Answer
from dashboard.core.findings import Finding, Row
from dashboard.core.labels import Metric, code_span, count, is_missing, number, plural
from dashboard.core.tables import listed
from dashboard.core.widgets import (
    COEFFICIENT,
    close_button,
    download,
    figure,
    figure_row,
    headline,
    how_computed,
    opening_table,
)
from dashboard.parliamentary.transcripts import review as transcript_review
from warehouse.home import find_home
from warehouse.reader import Version

PAGE = "transcripts"
WORD_ERROR = Metric(
    name="word error rate",
    measure="word_error_rate",
    mart="rpt_transcript_queue",
    definition=(
        "Insertions, deletions and substitutions of words over the words of the raw text, with "
        "capitals and punctuation set aside. It measures the corrector, not the ear: how many "
        "words were misheard only a person with the recording can say. A segment over the limit "
        "keeps its raw text, and the page says so."
    ),
    place="The check the paper on debates of an hour leaves to its verifiers (its section on data)",
)
STATUSES = {
    "waiting": "waits for a person",
    "incomplete": "waits, and not all eight speeches were found",
    "verified": "verified: may be judged",
    "rejected": "rejected",
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Transcripts")
    answer = transcript_review.queue(version)
    rows = answer.rows
    if not rows:
        _nothing_transcribed()
        return
    headline(_finding(rows))
    _figures(rows)
    _table(answer, rows)
    answers = [("Queue", answer), *_opened(version, rows)]
    how_computed([WORD_ERROR], answers)


def _nothing_transcribed() -> None:
    st.markdown(
        "**No recording has been transcribed yet.** Hand in a recording, or a raw transcript, of a "
        "British Parliamentary debate; it waits here until a person has verified it:"
    )
    st.code(
        "rostrum transcribe RECORDING --transcriber openai/whisper-1 --title TITLE --motion MOTION",
        language="shell",
    )


def _in(rows: Sequence[Row], *statuses: str) -> list[Row]:
    return [row for row in rows if row["status"] in statuses]


def _finding(rows: Sequence[Row]) -> Finding:
    waiting, verified = _in(rows, "waiting", "incomplete"), _in(rows, "verified")
    if waiting:
        words = f"{count(len(waiting))} of {plural(len(rows), 'transcript')} " + (
            "waits for a person to verify it"
            if len(waiting) == 1
            else "wait for a person to verify them"
        )
    else:
        words = f"No transcript waits: a person has decided all {count(len(rows))}"
    lacking = len(_in(rows, "incomplete"))
    more = f"; in {count(lacking)} not all eight speeches were found" if lacking else ""
    return Finding(
        f"{words}{more}.",
        f"Judges read verified transcripts only; {plural(len(verified), 'debate')} "
        f"{'has' if len(verified) == 1 else 'have'} come of them.",
    )


def _figures(rows: Sequence[Row]) -> None:
    with figure_row():
        whole = f"of {plural(len(rows), 'transcript')}"
        for status, label, explain in (
            ("waiting", "Waiting and whole", "Eight speeches were found; a person must read them."),
            (
                "incomplete",
                "Waiting and incomplete",
                "Fewer or more than eight speeches were found.",
            ),
            ("verified", "Verified", "A person stands for the text; judges may read it."),
        ):
            figure(label, count(len(_in(rows, status))), whole, explain)
        known = [row for row in rows if not is_missing(row["word_error_rate"])]
        worst = max(known, key=lambda row: float(row["word_error_rate"]), default=None)
        if worst is None:
            figure(
                "Largest word error rate", "–", "unknown: nothing was corrected", WORD_ERROR.line
            )
        else:
            figure(
                "Largest word error rate",
                number(worst["word_error_rate"]),
                f"limit of a segment {number(worst['max_word_error_rate'])} · "
                f"{plural(len(known), 'transcript')}",
                WORD_ERROR.line,
            )


def _table(answer: Answer, rows: Sequence[Row]) -> None:
    st.caption("Select a row to read a transcript and decide about it.")
    shown = listed(
        rows,
        {
            "title": "title",
            "status": lambda row: STATUSES.get(row["status"], row["status"]),
            "word error rate": "word_error_rate",
            "limit of a segment": "max_word_error_rate",
            "why": "reason",
            "heard by": "transcriber",
            "corrected by": "corrector",
            "decided by": "verified_by",
            "data set": "dataset_id",
            "transcript": "transcript_id",
        },
    )
    opening_table(
        PAGE,
        shown,
        {"transcript": [row["transcript_id"] for row in rows]},
        formats=dict.fromkeys(("word error rate", "limit of a segment"), COEFFICIENT),
        then_forget=(),
    )
    download(answer.frame, "transcript_queue")


def _opened(version: Version, rows: Sequence[Row]) -> list[tuple[str, Answer]]:
    asked = st.query_params.get("transcript")
    if asked is None:
        return []
    close_button(PAGE, ["transcript"])
    row = next((one for one in rows if one["transcript_id"] == asked), None)
    if row is None:
        st.markdown(f"The link names the transcript {code_span(asked)}, which this version lacks.")
        return []
    with st.container(border=True):
        return [("Segments", transcript_review.transcript(PAGE, version, find_home(), row))]


if __name__ == "__main__":
    draw(page)
