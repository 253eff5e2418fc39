"""The two forms of IQ2: `iq2_data_release.json`, and a ConvoKit corpus as a folder or a zip."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ingestion.debates.readers.iq2 import Conversation, Turn
from ingestion.errors import SourceUnreadable
from ingestion.oversight.reading import BrokenRecord
from ingestion.sources.json_stream import Opener, iter_members

ORIGINAL = "iq2_data_release.json"
UTTERANCES = ("utterances.jsonl", "utterances.json")
CONVERSATIONS = ("conversations.json",)
_Found = Iterator[tuple[str, Conversation | BrokenRecord]]


def read_original(opener: Opener, shown: str) -> _Found:
    """Yield the debates of the original release.

    Raises:
        SourceUnreadable: It is no JSON object or breaks off.
    """
    for number, (identity, fields) in enumerate(iter_members(opener, shown), start=1):
        place = f"record {number} ({identity[:80]!r})"
        transcript = fields.get("transcript") if isinstance(fields, dict) else None
        if not isinstance(transcript, list):
            yield place, BrokenRecord("transcript", "is missing; expected the list of turns")
            continue
        about = {name: value for name, value in fields.items() if name != "transcript"}
        try:
            turns = [_turn(turn, number) for number, turn in enumerate(transcript)]
        except BrokenRecord as broken:
            yield place, broken
        else:
            yield place, Conversation(identity, about, turns)


def _turn(turn: Any, number: int) -> Turn:
    paragraphs = turn.get("paragraphs") if isinstance(turn, dict) else None
    if isinstance(paragraphs, str):
        paragraphs = [paragraphs]
    if not isinstance(paragraphs, list) or not all(isinstance(each, str) for each in paragraphs):
        raise BrokenRecord(f"transcript[{number}].paragraphs", "should be a list of texts")
    return Turn(
        speaker=turn.get("speaker"),
        kind=turn.get("speakertype"),
        segment=turn.get("segment"),
        text="\n\n".join(paragraphs),
        nontext=turn.get("nontext"),
    )


def read_convokit(
    utterances: Opener, conversations: Opener, shown: str, *, is_lines: bool
) -> _Found:
    """Yield the debates of a ConvoKit corpus; it is small enough to be in memory at once.

    Args:
        utterances: Opens the utterances.
        conversations: Opens the conversations.
        shown: The corpus as the user named it.
        is_lines: Whether the utterances are JSON lines, as in newer dumps, not one list.

    Raises:
        SourceUnreadable: A file is not what it should be.
    """
    turns: dict[str, list[Turn]] = defaultdict(list)
    broken: dict[str, BrokenRecord] = {}
    for place, row in _utterances(utterances, shown, is_lines):
        said = row if isinstance(row, dict) else {}
        root = said.get("conversation_id", said.get("root"))
        if not isinstance(root, str):
            raise SourceUnreadable(
                f"ingestion: {shown}, {place}: has neither conversation_id nor root; expected an "
                "utterance of a ConvoKit corpus"
            )
        text, meta = said.get("text"), said.get("meta")
        if text is not None and not isinstance(text, str):
            broken[root] = BrokenRecord(f"{place}.text", f"should be text; found {text!r}")
            continue
        meta = meta if isinstance(meta, dict) else {}
        turns[root].append(
            Turn(
                speaker=said.get("speaker", said.get("user")),
                kind=meta.get("speakertype"),
                segment=meta.get("segment"),
                text=text or "",
                nontext=meta.get("nontext"),
            )
        )
    known: set[str] = set()
    for number, (root, fields) in enumerate(iter_members(conversations, shown), start=1):
        known.add(root)
        inner = fields.get("meta") if isinstance(fields, dict) else None
        about = inner if isinstance(inner, dict) else fields
        place = f"conversation {number} ({root[:80]!r})"
        if not isinstance(about, dict):
            yield place, BrokenRecord(None, "is no object; expected the debate's fields")
        elif root in broken:
            yield place, broken[root]
        else:
            identity = about.get("originalid")
            identity = identity if isinstance(identity, str) and identity.strip() else root
            yield place, Conversation(identity, about, turns.get(root, []), about.get("winner"))
    for root in sorted(turns.keys() - known):
        yield root, BrokenRecord("conversation_id", f"{root!r} is not among the conversations")


def _utterances(opener: Opener, shown: str, is_lines: bool) -> Iterator[tuple[str, Any]]:
    with opener() as stream:
        if not is_lines:
            try:
                rows = json.load(stream)
            except ValueError as error:
                raise SourceUnreadable(
                    f"ingestion: {shown}: the utterances are not valid JSON ({error}); nothing was "
                    "loaded: fetch it again"
                ) from error
            if not isinstance(rows, list):
                raise SourceUnreadable(f"ingestion: {shown}: the utterances should be one list")
            yield from ((f"utterance {place}", row) for place, row in enumerate(rows, start=1))
            return
        at = 0
        for number, line in enumerate(stream, start=1):
            if line.strip():
                try:
                    yield f"utterance {number}", json.loads(line)
                except ValueError as error:
                    raise SourceUnreadable(
                        f"ingestion: {shown}: line {number} of the utterances, at byte {at:,}, is "
                        f"not valid JSON ({error}); nothing was loaded: fetch it again"
                    ) from error
            at += len(line)
