"""The stories of NYU's rooms: tokens put together as text, each story and question once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingestion.oversight.batch import in_drawn_order
from ingestion.oversight.reading import BrokenRecord, StoriesRead
from warehouse.records.oversight import ReadingQuestion, Story

_SHOWN = {
    "-LSB-": "[",
    "-RSB-": "]",
    "-LRB-": "(",
    "-RRB-": ")",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "`": "'",
}
# A token that stands with the word before it, and one that stands with the word after it.
_CLOSES = re.compile(r"[.,;:!?%]+|\.\.\.|-R[SRC]B-|''?|n't|'(?:s|ll|re|d|ve|m)", re.IGNORECASE)
_OPENS = re.compile(r"-L[SRC]B-|``?|[$\n]")


@dataclass(frozen=True)
class RoomStory:
    """The story of a room, as the room has it.

    Attributes:
        tokens: Its tokens, which quotes count.
        story_id: The same for every room about it; None where the room has no text.
    """

    tokens: Sequence[str]
    story_id: str | None
    title: Any
    article: Any

    @classmethod
    def of_setup(cls, dataset_id: str, setup: dict[str, Any]) -> RoomStory:
        """Return the story of a room's setup.

        Raises:
            BrokenRecord: What the room is about is no object.
        """
        source = setup.get("sourceMaterial")
        kind: Any = ""
        story: Any = {}
        if isinstance(source, dict) and source:
            kind, story = next(iter(source.items()))
        if not isinstance(story, dict):
            raise BrokenRecord("setup.sourceMaterial", f"{kind!r} is no object")
        found = story.get("contents")
        tokens = [str(token) for token in found] if isinstance(found, list) else []
        title, article = story.get("title"), story.get("articleId")
        name = article or title
        if not name and any(token.strip() for token in tokens):
            name = hashlib.sha256(" ".join(tokens).encode()).hexdigest()[:12]
        return cls(tokens, f"{dataset_id}:story {name}" if name else None, title, article)


def story_text(tokens: Sequence[str]) -> str:
    """Put tokens together as a reader would see them: brackets, quotation marks and endings joined.

    Tokens are words and marks in the manner of the Penn Treebank; a line break is one.
    """
    text, is_open = "", True
    for word in tokens:
        if not word.strip() and word != "\n":
            continue
        is_joined = is_open or word == "\n" or _CLOSES.fullmatch(word) is not None
        text += ("" if is_joined else " ") + _SHOWN.get(word, word)
        is_open = _OPENS.fullmatch(word) is not None
    return text.strip()


def question_id(dataset_id: str, story_id: str, question: str, answers: Sequence[str]) -> str:
    """Return the id of a question, the same in whichever order a room has its answers."""
    told = "\n".join([story_id, question, *sorted(answers)])
    return f"{dataset_id}:{hashlib.md5(told.encode(), usedforsecurity=False).hexdigest()[:12]}"


def keep_story(
    dataset_id: str,
    room: RoomStory,
    question: str,
    answers: Sequence[str],
    correct: int,
    found: StoriesRead,
) -> str | None:
    """Keep a room's story and question, and return the question's id; None where a text is missing.

    A story or question that another room brought stays as it is: rooms share them.
    """
    text = story_text(room.tokens)
    is_asked = all(isinstance(each, str) and each.strip() for each in (question, *answers))
    if room.story_id is None or not text or not is_asked:
        return None
    if room.story_id not in found.stories:
        found.stories[room.story_id] = Story(
            story_id=room.story_id,
            dataset_id=dataset_id,
            text=text,
            title=room.title if isinstance(room.title, str) else None,
            source="QuALITY",
        )
    name = question_id(dataset_id, room.story_id, question, answers)
    if name not in found.questions:
        first, second, right = in_drawn_order(name, answers[correct], answers[1 - correct])
        found.questions[name] = ReadingQuestion(
            question_id=name,
            dataset_id=dataset_id,
            story_id=room.story_id,
            question=question,
            answer_0=first,
            answer_1=second,
            right_answer=right,
        )
    return name
