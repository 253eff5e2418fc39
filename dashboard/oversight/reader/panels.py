"""Parts of the debate reader: turns, the story they quote, candidates that were not chosen."""

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard.core.choices import change_url
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import code_span, count, escape_markdown, is_missing, number, plural
from dashboard.oversight.labels import speaker_name
from dashboard.oversight.reader import queries
from dashboard.oversight.reader.text import (
    LEGEND,
    Passage,
    Place,
    passage_at,
    passages_of,
    story_markdown,
    turn_markdown,
)
from warehouse.reader import Version

TURNS_HEIGHT, STORY_HEIGHT = 720, 560
# Letters that do not fit into a turn's or a story's height.
LONG_TEXT = 2_500
FAULTS = {
    "is_truncated": "cut at the word limit",
    "is_concession": "concedes",
    "argues_other_side": "argues for the other answer",
    "is_malformed": "not in the form asked for",
}


def quotes_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the quotes of turns, each with the number of its turn; rooms place none.

    Args:
        rows: Turns from `queries.turns`.
    """
    return [
        {"turn": int(row["turn"]), **quote}
        for row in rows
        if not is_missing(row["quotes"])
        for quote in json.loads(row["quotes"])
    ]


def quoted(quotes: Sequence[Row], story: str | None) -> list[Passage]:
    """Return the passages of the story that the chosen turns quote; none without the story.

    Args:
        story: The text, where it is shown.
    """
    if story is None:
        return []
    return passages_of(
        [
            Place(int(row["story_start"]), int(row["story_end"]), int(row["turn"]))
            for row in quotes
            if row["is_verified"]
            and not is_missing(row["story_start"])
            and 0 <= row["story_start"] < row["story_end"] <= len(story)
        ]
    )


def turns(
    rows: Sequence[Row], quotes: Sequence[Row], passages: Sequence[Passage], transcript: Row
) -> None:
    """Show what was said, in order, quotes marked.

    Args:
        rows: The chosen turns.
        quotes: Their quotes.
        passages: What of the story is shown below.
        transcript: Whose turns they are.
    """
    if not rows:
        st.markdown("Nobody has said anything in this transcript.")
        return
    st.caption(LEGEND)
    is_long = sum(len(str(row["shown_text"])) for row in rows) > LONG_TEXT
    with st.container(height=TURNS_HEIGHT if is_long else "content"):
        for row in rows:
            _turn(row, quotes, passages, transcript)


def _turn(row: Row, quotes: Sequence[Row], passages: Sequence[Passage], transcript: Row) -> None:
    name = speaker_name(row["speaker"], row["argued_answer"], transcript["protocol"])
    said = [f"**{escape_markdown(name)}**"]
    if not is_missing(row["round"]):
        said.append(f"round {count(row['round'])}")
    if not is_missing(row["model_id"]):
        said.append(code_span(row["model_id"]))
    said.append(plural(int(row["word_count"]), "word"))
    if not is_missing(row["rejected_count"]) and row["rejected_count"]:
        said.append(f"{plural(int(row['rejected_count']), 'draft')} over the word limit")
    said += [
        f"⚠ {text}"
        for column, text in FAULTS.items()
        if not is_missing(row[column]) and row[column]
    ]
    st.caption(" · ".join(said))
    links = {
        int(quote["position"]): passage_at(passages, int(quote["story_start"]))
        for quote in quotes
        if quote["turn"] == row["turn"]
        and quote["is_verified"]
        and not is_missing(quote["story_start"])
    }
    shown = turn_markdown(
        str(row["shown_text"]), {at: one for at, one in links.items() if one is not None}
    )
    st.markdown(shown or "*Nothing was said.*")


def near_misses(quotes: Sequence[Row]) -> None:
    """Say how close the quotes that are not in the story come to it."""
    found = [row for row in quotes if not row["is_verified"]]
    if not found:
        return
    with st.expander(f"{plural(len(found), 'quote')} not in the story"):
        for row in found:
            near = (
                ""
                if is_missing(row["similarity"])
                else (f" · {number(row['similarity'])} like the nearest passage (1 = the same)")
            )
            st.caption(f"Turn {count(row['turn'])}{near}")
            st.text(row["quote"])


def story(
    page: str, version: Version, transcript: Row
) -> tuple[str | None, list[tuple[str, Answer]]]:
    """Offer to load the story, and return its text where the reader has asked for it.

    Args:
        transcript: Which one's.
    """
    if is_missing(transcript["story_id"]):
        st.caption("No story is loaded for this question, so that its quotes have no place here.")
        return None, []
    key = f"{page}_story"
    st.session_state[key] = st.query_params.get("story") == "shown"
    asked = st.toggle(
        "Show the story, with what is quoted marked",
        key=key,
        help="Loads the whole story. Each quote in the turns then leads to its place in it.",
        on_change=lambda: change_url({"story": "shown" if st.session_state[key] else None}),
    )
    if not asked:
        return None, []
    answer = queries.story(version, str(transcript["story_id"]))
    found = answer.rows
    if not found:
        st.markdown(f"This version lacks the story {code_span(transcript['story_id'])}.")
        return None, [("Story", answer)]
    return str(found[0]["text"]), [("Story", answer)]


def story_text(text: str, passages: Sequence[Passage]) -> None:
    """Show the story; the quotes above lead here."""
    st.subheader("The story", anchor=False)
    st.caption(
        f"{plural(len(passages), 'passage')} quoted: "
        + "; ".join(
            f"[passage {one.number}](#passage-{one.number}) in "
            f"{'turn' if len(one.turns) == 1 else 'turns'} {', '.join(map(count, one.turns))}"
            for one in passages
        )
        if passages
        else "No verified quote has a place in it."
    )
    with st.container(height=STORY_HEIGHT if len(text) > LONG_TEXT else "content"):
        st.markdown(story_markdown(text, passages))


def candidates(rows: Sequence[Row]) -> None:
    """Show what was written and not chosen."""
    if not rows:
        return
    with st.expander(f"{plural(len(rows), 'candidate')} not chosen"):
        st.caption(
            "Written for the same turn; the preference judge chose another. Its probability that "
            "a judge would side with the candidate stands beside it."
        )
        for row in rows:
            said = [
                f"turn {count(row['turn'])}",
                speaker_name(row["speaker"]),
                f"candidate {count(row['candidate'])}",
                f"preference {number(row['preference'])}",
                plural(int(row["word_count"]), "word"),
            ]
            st.caption(" · ".join(escape_markdown(part) for part in said))
            st.markdown(turn_markdown(str(row["shown_text"]), {}) or "*Nothing was written.*")
