"""IQ2: Intelligence Squared debates, decided by how a live audience changed its mind.

Two forms are read, the original release and ConvoKit's. Both become the same debates: ConvoKit's
conversations go by their original id. Host and audience turns stay, without a side.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from pydantic import ValidationError

from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.sources.iq2 import CONVOKIT, CONVOKIT_URL, URL
from ingestion.debates.turns import outcome_of, turn_of
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.reading import BrokenRecord, Reading
from ingestion.registry import Settings
from ingestion.sources.containers import Opener, lines_of, read_whole
from ingestion.sources.json_stream import iter_members
from ingestion.sources.parts import Parts, source_files
from warehouse.home import Home
from warehouse.records.core import (
    Dataset,
    Debate,
    FilterRule,
    Removal,
    Side,
    SpeakerRole,
    Speech,
    first_problem,
)
from warehouse.records.debates import Outcome
from warehouse.records.strict_json import strict_json

NAME = "iq2"
FORMAT = "oxford"
DATASET = Dataset(
    dataset_id=NAME,
    title="Intelligence Squared debates with audience polls (IQ2)",
    licence="Not stated; see the source's page",
    citation="Zhang, Kumar, Ravi and Danescu-Niculescu-Mizil, Conversational Flow in Oxford-style "
    "Debates, NAACL 2016",
    url=URL,
)
RULES = (
    FilterRule("silent_side", "One side says nothing at all."),
    FilterRule("no_votes", "The audience's polls before or after the debate are missing."),
    FilterRule("tie", "Neither side gained more than the other."),
)
PRIMARY = "vote_swing"
DECIDED_BY = "live_audience"
SEGMENTS = {"0": "introduction", "1": "discussion", "2": "conclusion"}
_SPEAKERS: dict[str, tuple[Side | None, SpeakerRole]] = {
    "for": ("pro", "debater"),
    "against": ("con", "debater"),
    "mod": (None, "moderator"),
    "moderator": (None, "moderator"),
    "host": (None, "host"),
    "unknown": (None, "audience"),
    "audience": (None, "audience"),
}
_WINNERS = {"for": "pro", "against": "con", "tie": "tie"}
# Seen nowhere in writing, so the likely ones are tried; what none fits stays in `extra`.
# Three shares that were rounded each.
_MOST_PERCENT = 102
_DATES = ("%A, %B %d, %Y", "%B %d, %Y", "%Y-%m-%d", "%m/%d/%Y", "%a, %b %d, %Y", "%b %d, %Y")
ORIGINAL = "iq2_data_release.json"
UTTERANCES = ("utterances.jsonl", "utterances.json")
CONVERSATIONS = ("conversations.json",)


def open_iq2(home: Home, location: str, settings: Settings) -> DatasetBatch:
    """Return the debates of the original release, or of a ConvoKit corpus."""
    del settings
    parts = Parts(home, CONVOKIT_URL if location == CONVOKIT else location, DATASET)
    reading = Reading(parts.shown)
    utterances = parts.find(UTTERANCES)
    if utterances is not None:
        conversations = parts.find(CONVERSATIONS)
        if conversations is None:
            raise parts.lacking(CONVERSATIONS)
        found = read_convokit(
            utterances.opener,
            conversations.opener,
            parts.shown,
            is_lines=utterances.name.endswith(".jsonl"),
        )
        files = [utterances, conversations]
        reading.note("read as a ConvoKit corpus")
    else:
        wanted = (ORIGINAL, *UTTERANCES[:1])
        original = parts.one((ORIGINAL,), told=wanted)
        found = read_original(original.opener, parts.shown)
        files = [original]
        reading.note("read as the original release")
    return DatasetBatch(
        dataset=DATASET,
        rules=RULES,
        files=source_files(files, parts.shown),
        readings=[reading],
        records=records_of(found, reading),
    )


@dataclass(frozen=True)
class Turn:
    """One turn as either form has it."""

    speaker: Any
    kind: Any
    segment: Any
    text: str
    nontext: Any


@dataclass(frozen=True)
class Conversation:
    """One debate as either form has it.

    Attributes:
        identity: The original release's id.
        about: Its title, date, address, summary, speakers and results.
        turns: What was said.
        winner: What the form itself calls the winner; None where it does not.
    """

    identity: str
    about: Mapping[str, Any]
    turns: list[Turn]
    winner: Any = None


def records_of(
    conversations: Iterator[tuple[str, Conversation | BrokenRecord]], reading: Reading
) -> Iterator[DebateRecord]:
    """Yield the debates, and reject what is none.

    Args:
        conversations: Each with its place, or with what is wrong with it.
        reading: Collects what is not a debate.
    """
    seen: set[str] = set()
    for place, found in conversations:
        reading.records += 1
        with reading.whole(place, found.about if isinstance(found, Conversation) else None):
            if isinstance(found, BrokenRecord):
                raise found
            if found.identity in seen:
                raise BrokenRecord(None, f"duplicate id: {NAME}:{found.identity} is there already")
            record = _record(found, reading)
            seen.add(found.identity)
            yield record


def _record(found: Conversation, reading: Reading) -> DebateRecord:
    debate_id = f"{NAME}:{found.identity}"
    title = found.about.get("title")
    if not isinstance(title, str):
        raise BrokenRecord("title", f"should be the motion; found {title!r}")
    turns = _speeches(found.turns, debate_id, reading)
    if not turns:
        raise BrokenRecord("transcript", "is empty; expected the debate's turns")
    outcome = _outcome(found.about.get("results"), debate_id)
    said = _WINNERS.get(str(found.winner).strip().casefold())
    if outcome and said and said != outcome.winner:
        reading.repaired["debates whose named winner is not the polls', the polls counted"] += 1
    sides = [turn.side for turn in turns if turn.side]
    rest = {name: found.about[name] for name in ("url", "summary", "date") if name in found.about}
    if isinstance(found.about.get("speakers"), dict):
        rest["speakers"] = found.about["speakers"]
    debate = Debate(
        debate_id=debate_id,
        dataset_id=NAME,
        motion=title,
        format=FORMAT,
        round_count=len({turn.round for turn in turns if turn.round}),
        end_side=sides[-1] if sides else None,
        start_date=_date(found.about.get("date"), reading),
        extra=as_json(rest),
    )
    silent = next((side for side in ("pro", "con") if side not in sides), None)
    removal = None
    if silent:
        removal = Removal("silent_side", f"{silent} says nothing")
    elif outcome is None:
        removal = Removal("no_votes", "polls before and after the debate are not both there")
    elif outcome.winner == "tie":
        removal = Removal("tie", f"both sides moved by {outcome.score_pro:+g} points")
    return DebateRecord(debate, turns, [outcome] if outcome else [], removal)


def _speeches(turns: list[Turn], debate_id: str, reading: Reading) -> list[Speech]:
    speeches: list[Speech] = []
    for place, turn in enumerate(turns):
        if not turn.text.strip():
            reading.repaired["turns without any text, not loaded"] += 1
            continue
        kind = turn.kind.strip().casefold() if isinstance(turn.kind, str) else ""
        side, role = _SPEAKERS.get(kind, (None, "other"))
        if role == "other":
            reading.repaired[f"turns of speaker type {turn.kind!r}, kept without a side"] += 1
        speaker = turn.speaker if isinstance(turn.speaker, str) else ""
        speaker = " ".join(speaker.split()) or role
        segment = str(turn.segment)
        try:
            speech = turn_of(
                {"debate_id": debate_id, "dataset_id": NAME},
                len(speeches) + 1,
                turn.text,
                speaker,
                extra=as_json({"nontext": turn.nontext}) if turn.nontext else None,
                round=SEGMENTS.get(segment, segment) if turn.segment is not None else None,
                side=side,
                speaker_role=role,
            )
        except ValidationError as error:
            name, reason = first_problem(error)
            raise BrokenRecord(f"transcript[{place}].{name}", reason) from error
        speeches.append(speech)
    return speeches


def _outcome(results: Any, debate_id: str) -> Outcome | None:
    """Return who moved more of the audience; None where a poll is missing."""
    polls = results if isinstance(results, dict) else {}
    before, after = polls.get("pre"), polls.get("post")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    for poll in (before, after):
        total = sum(_percentage(poll.get(side)) or 0.0 for side in ("for", "against"))
        with suppress(BrokenRecord):
            total += _percentage(poll.get("undecided")) or 0.0
        if total > _MOST_PERCENT:
            raise BrokenRecord("results", f"the shares of a poll add up to {total:g} percent")
    shares = [poll.get(side) for side in ("for", "against") for poll in (before, after)]
    numbers = [_percentage(share) for share in shares]
    if any(number is None for number in numbers):
        return None
    pro_before, pro_after, con_before, con_after = (number or 0.0 for number in numbers)
    pro, con = round(pro_after - pro_before, 6), round(con_after - con_before, 6)
    return outcome_of(
        {"debate_id": debate_id, "dataset_id": NAME},
        PRIMARY,
        decided_by=DECIDED_BY,
        is_primary=True,
        scores=(pro, con),
        extra=as_json(polls),
    )


def _percentage(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if not 0 <= number <= 100:
        raise BrokenRecord("results", f"a share of {value!r} is no percentage from 0 to 100")
    return number


def _date(value: Any, reading: Reading) -> date | None:
    if not isinstance(value, str) or not value.strip():
        return None
    for shape in _DATES:
        try:
            return datetime.strptime(value.strip(), shape).date()
        except ValueError:
            continue
    reading.repaired["dates in no known form, left empty"] += 1
    return None


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
                rows = strict_json(read_whole(stream, f"{shown}: the file of utterances"))
            except (ValueError, RecursionError) as error:
                raise SourceUnreadable(
                    f"ingestion: {shown}: the utterances are not valid JSON ({error}); nothing was "
                    "loaded: fetch it again"
                ) from error
            if not isinstance(rows, list):
                raise SourceUnreadable(f"ingestion: {shown}: the utterances should be one list")
            yield from ((f"utterance {place}", row) for place, row in enumerate(rows, start=1))
            return
        at = 0
        for number, line in enumerate(lines_of(stream, shown), start=1):
            if line.strip():
                try:
                    yield f"utterance {number}", strict_json(line)
                except (ValueError, RecursionError) as error:
                    raise SourceUnreadable(
                        f"ingestion: {shown}: line {number} of the utterances, at byte {at:,}, is "
                        f"not valid JSON ({error}); nothing was loaded: fetch it again"
                    ) from error
            at += len(line)
