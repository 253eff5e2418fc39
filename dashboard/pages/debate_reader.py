"""What was said in one debate about a story, what stands in the story, what judges made of it?"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_dataset, choose_one, filter_row, left_out
from dashboard.core.data import Answer
from dashboard.core.findings import Finding, Row, records
from dashboard.core.labels import (
    code_span,
    count,
    escape_markdown,
    is_missing,
    number,
    percent,
    plural,
)
from dashboard.core.tables import listed
from dashboard.core.widgets import (
    ANY_SIZE,
    download,
    figure,
    figure_row,
    headline,
    how_computed,
    opening_table,
    page_title,
    sample_badge,
)
from dashboard.core.words import reworded
from dashboard.oversight.labels import BELIEF, QUOTES, protocol_name
from dashboard.oversight.reader import belief as reader_belief
from dashboard.oversight.reader import panels as reader_panels
from dashboard.oversight.reader import queries
from dashboard.oversight.reader.queries import TRANSCRIPTS_LISTED
from dashboard.oversight.reader.text import pieces
from dashboard.oversight.selection import nothing_judged
from warehouse.reader import Version

PAGE = "debate_reader"
ALL = "all"
_OPENED = ("transcript", "answer", "story")


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Debate reader")
    choices = queries.choices(version).frame
    if choices.empty:
        nothing_judged("No debate about a story is in the warehouse yet.")
        return
    dataset, protocol, question, is_sample = _select(version, choices)
    listed = queries.transcripts(version, dataset, protocol, question)
    rows = listed.rows
    if is_sample:
        sample_badge(top)
    opened = str(st.query_params.get("transcript", rows[0]["transcript_id"]))
    found = queries.transcript(version, opened).rows
    answers = [("Transcripts", listed)]
    if found:
        answers += _transcript(version, found[0])
    else:
        st.markdown(
            f"The link names the transcript {code_span(opened)}, which this version lacks. Choose "
            "one below."
        )
    st.subheader("Other transcripts", anchor=False)
    _table(listed, rows)
    how_computed([QUOTES, BELIEF], answers)


def _select(version: Version, choices: pd.DataFrame) -> tuple[str, str, str, bool]:
    boxes, _ = filter_row(PAGE, [4, 2, 5])
    with boxes[0]:
        forget = ("protocol", "question", *_OPENED)
        dataset, is_sample = choose_dataset(PAGE, choices, then_forget=forget)
    protocols = [row["protocol"] for row in records(choices) if row["dataset_id"] == dataset]
    with boxes[1]:
        protocol = choose_one(
            PAGE, "protocol", "Protocol", protocols, then_forget=("question", *_OPENED)
        )
    named = st.query_params.get("question", "")
    asked = queries.questions(version, dataset, protocol, named).frame
    names = dict(zip(asked["question_id"], asked["question"], strict=True))
    whole = int(asked["whole_count"].iloc[0])
    with boxes[2]:
        question = choose_one(
            PAGE,
            "question",
            "Question",
            {ALL: f"All {plural(whole, 'question')}"} | names,
            explain=left_out(len(names), whole),
            then_forget=_OPENED,
        )
    return dataset, protocol, "" if question == ALL else question, is_sample


def _transcript(version: Version, transcript: Row) -> list[tuple[str, Answer]]:
    name = str(transcript["transcript_id"])
    said, judged = queries.turns(version, name), queries.judgements(version, name)
    spoken = [row for row in said.rows if row["is_chosen"]]
    quotes, beliefs = reader_panels.quotes_of(spoken), judged.rows
    headline(_finding(transcript, beliefs))
    _sides(transcript)
    _figures(transcript, spoken, beliefs)
    answers = [("Turns", said), ("Judgements", judged)]
    left, right = st.columns([3, 2])
    with left:
        _setting(transcript)
        text, asked = reader_panels.story(PAGE, version, transcript)
        passages = reader_panels.quoted(quotes, text)
        reader_panels.turns(spoken, quotes, passages, transcript)
        reader_panels.near_misses(quotes)
        reader_panels.candidates([row for row in said.rows if not row["is_chosen"]])
    with right:
        reader_belief.belief(beliefs)
        reader_belief.judgements(PAGE, version, beliefs)
    if text is not None:
        reader_panels.story_text(text, passages)
    return answers + asked


def _finding(transcript: Row, beliefs: Sequence[Row]) -> Finding:
    kind = protocol_name(transcript["protocol"], transcript["is_interactive"])
    words = f"“{escape_markdown(transcript['question'])}” — {kind}"
    if not is_missing(transcript["round_count"]):
        words += f" of {plural(int(transcript['round_count']), 'round')}"
    end = reader_belief.final_words(beliefs)
    return Finding(f"{words}: {end}." if end else f"{words}: no judgement at its end is known.")


def _sides(transcript: Row) -> None:
    right = transcript["right_answer"]
    for answer in (0, 1):
        mark = "" if is_missing(right) or int(right) != answer else " · **right**"
        who = transcript[f"debater_{answer}"]
        argued = transcript["argued_answer"]
        if is_missing(who) and not is_missing(argued) and int(argued) == answer:
            who = transcript["debater"]
        by = "" if is_missing(who) else f" · argued by {code_span(who)}"
        shown = transcript[f"answer_{answer}"]
        text = "unknown" if is_missing(shown) else escape_markdown(shown)
        st.markdown(f"**Answer {answer}**: {text}{by}{mark}")
    if str(transcript["status"]).lower() != "complete":
        reason = transcript["reason"]
        why = "" if is_missing(reason) else f": {escape_markdown(reason)}"
        st.warning(f"This transcript is {escape_markdown(transcript['status'])}{why}")


def _setting(transcript: Row) -> None:
    said = [
        code_span(transcript["transcript_id"]),
        escape_markdown(reworded(transcript["debate_setting"])),
    ]
    if not is_missing(transcript["tournament"]):
        said.append(
            f"tournament {code_span(transcript['tournament'])}, "
            f"round {count(transcript['tournament_round'])}"
        )
    st.caption(" · ".join(said))


def _figures(transcript: Row, turns: Sequence[Row], beliefs: Sequence[Row]) -> None:
    with figure_row():
        kinds = [piece.kind for row in turns for piece in pieces(str(row["shown_text"]))]
        verified = kinds.count("verified")
        quoted = verified + kinds.count("unverified")
        final = reader_belief.at_the_end(beliefs, "p_right")
        first = final[0] if final else None
        figure(
            "Belief in the truth",
            "–" if first is None else percent(first["p_right"]),
            "unknown: no judge gave a probability at the end"
            if first is None
            else f"{code_span(first['judge_id'])} · {plural(len(final), 'judgement')} in the table",
            "The first judge's probability at the end; 50 % is a guess.",
        )
        figure(
            "Quotes in the story",
            f"{count(verified)} of {count(quoted)}" if quoted else "–",
            "case and punctuation set aside" if quoted else "nobody quotes anything",
            QUOTES.line,
        )
        figure(
            "Words, 0 / 1",
            f"{count(transcript['word_count_0'])} / {count(transcript['word_count_1'])}",
            plural(len(turns), "turn"),
            "Words of all turns that argue for either answer, as judges are shown them.",
        )
        cost = transcript["cost_usd"]
        figure(
            "Cost of writing it",
            "–" if is_missing(cost) else f"\\${number(cost)}",
            "unknown: people, or a model without a price"
            if is_missing(cost)
            else "every draft and discarded candidate included",
            "What writing it cost in US dollars, without judging it.",
        )


def _table(answer: Answer, rows: Sequence[Row]) -> None:
    st.caption("Those most often judged come first. Select a row to read it above.")
    shown = listed(
        rows,
        {
            "question": "question",
            "debater": "debater",
            "argued answer": "argued_answer",
            "rounds": "round_count",
            "interactive": "is_interactive",
            "judgements": "judgement_count",
            "of these right": "right_count",
            "right answer known": "known_count",
            "status": "status",
            "cost, $": "cost_usd",
            "transcript": "transcript_id",
        },
    )
    opening_table(
        PAGE,
        shown,
        {"transcript": [str(row["transcript_id"]) for row in rows]},
        wide="question",
        formats={"cost, $": ANY_SIZE},
        height=360 if len(rows) > 8 else None,
    )
    if len(rows) == TRANSCRIPTS_LISTED:
        st.caption(f"The table lists {TRANSCRIPTS_LISTED} at most; choose a question for the rest.")
    download(answer.frame, "oversight_transcripts")


if __name__ == "__main__":
    draw(page)
