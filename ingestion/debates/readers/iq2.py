"""IQ2: Intelligence Squared debates, decided by how a live audience changed its mind.

Two forms are read, the original release and ConvoKit's. Both become the same debates: ConvoKit's
conversations go by their original id. Host and audience turns stay, without a side.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.sources.iq2 import LICENCE, URL
from ingestion.debates.turns import outcome_of, turn_of
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.reading import OR_NONE, BrokenRecord, Reading, expected, validated
from ingestion.sources.containers import Opener, lines_of, read_whole
from ingestion.sources.json_stream import iter_members
from ingestion.sources.parts import Parts, source_files
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
    licence=LICENCE,
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
# Three shares that were rounded each.
_MOST_PERCENT = 102
# Seen nowhere in writing, so the likely ones are tried; a date in another form stays in `extra`.
_DATES = ("%A, %B %d, %Y", "%B %d, %Y", "%Y-%m-%d", "%m/%d/%Y", "%a, %b %d, %Y", "%b %d, %Y")
ORIGINAL = "iq2_data_release.json"
UTTERANCES = ("utterances.jsonl", "utterances.json")
CONVERSATIONS = ("conversations.json",)


def _object(value: Any) -> Any:
    return value if isinstance(value, dict) else {}


def _joined(value: Any) -> str:
    paragraphs = [value] if isinstance(value, str) else value
    if not isinstance(paragraphs, list) or not all(isinstance(each, str) for each in paragraphs):
        raise ValueError("should be a list of texts")
    return "\n\n".join(paragraphs)


def _percentage(value: Any) -> float | None:
    try:
        number = None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None
    if number is not None and not 0 <= number <= 100:
        raise BrokenRecord("results", f"a share of {value!r} is no percentage from 0 to 100")
    return number


_Share = Annotated[float | None, BeforeValidator(_percentage)]


class _Turn(BaseModel):
    speaker: Annotated[str | None, OR_NONE] = None
    speakertype: Any = None
    segment: Any = None
    nontext: Any = None
    text: Annotated[str, BeforeValidator(_joined)] = Field(validation_alias="paragraphs")


class _Transcript(BaseModel):
    transcript: list[_Turn]


class _Poll(BaseModel):
    pro: _Share = Field(None, alias="for")
    con: _Share = Field(None, alias="against")
    undecided: Annotated[float | None, Field(ge=0, le=100), OR_NONE] = None


class _Polls(BaseModel):
    pre: Annotated[_Poll | None, OR_NONE] = None
    post: Annotated[_Poll | None, OR_NONE] = None


class _Debate(BaseModel):
    title: Annotated[str, expected("the motion")]
    date: Annotated[str, OR_NONE] = ""
    results: Annotated[_Polls, BeforeValidator(_object)] = _Polls()
    winner: Any = None


def open_iq2(parts: Parts) -> DatasetBatch:
    """Return the debates of the original release, or of a ConvoKit corpus."""
    reading = Reading(parts.shown)
    utterances = parts.find(UTTERANCES)
    if utterances is not None:
        conversations = parts.find(CONVERSATIONS)
        if conversations is None:
            raise parts.lacking(CONVERSATIONS)
        found = _convokit(
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
        found = _original(original.opener, parts.shown)
        files = [original]
        reading.note("read as the original release")
    return DatasetBatch(
        dataset=DATASET,
        rules=RULES,
        files=source_files(files, parts.shown),
        readings=[reading],
        records=_records(found, reading),
    )


# The place, the fields, the original id and the turns of each debate.
_Found = Iterator[tuple[str, Any, str, list[_Turn] | BrokenRecord]]


def _records(found: _Found, reading: Reading) -> Iterator[DebateRecord]:
    for place, fields, identity, turns in found:
        reading.records += 1
        with reading.whole(place, fields):
            if isinstance(turns, BrokenRecord):
                raise turns
            debate_id = f"{NAME}:{identity}"
            reading.claim(debate_id, place)
            yield _record({"debate_id": debate_id, "dataset_id": NAME}, fields, turns, reading)


def _record(
    of: dict[str, Any], fields: dict[str, Any], spoken: list[_Turn], reading: Reading
) -> DebateRecord:
    about = validated(_Debate, fields)
    turns = _speeches(spoken, of, reading)
    if not turns:
        raise BrokenRecord("transcript", "is empty; expected the debate's turns")
    outcome = _outcome(about.results, of, fields)
    named = _WINNERS.get(str(about.winner).strip().casefold())
    if outcome and named and named != outcome.winner:
        reading.repaired["debates whose named winner is not the polls', the polls counted"] += 1
    sides = [turn.side for turn in turns if turn.side]
    rest = {name: fields[name] for name in ("url", "summary", "date") if name in fields}
    if isinstance(fields.get("speakers"), dict):
        rest["speakers"] = fields["speakers"]
    debate = Debate(
        **of,
        motion=about.title,
        format=FORMAT,
        round_count=len({turn.round for turn in turns if turn.round}),
        end_side=sides[-1] if sides else None,
        start_date=_date(about.date, reading),
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


def _speeches(spoken: list[_Turn], of: dict[str, Any], reading: Reading) -> list[Speech]:
    speeches: list[Speech] = []
    for place, turn in enumerate(spoken):
        if not turn.text.strip():
            reading.repaired["turns without any text, not loaded"] += 1
            continue
        kind = turn.speakertype.strip().casefold() if isinstance(turn.speakertype, str) else ""
        side, role = _SPEAKERS.get(kind, (None, "other"))
        if role == "other":
            name = f"turns of speaker type {turn.speakertype!r}, kept without a side"
            reading.repaired[name] += 1
        segment = str(turn.segment)
        try:
            speech = turn_of(
                of,
                len(speeches) + 1,
                turn.text,
                " ".join((turn.speaker or "").split()) or role,
                extra=as_json({"nontext": turn.nontext}) if turn.nontext else None,
                round=None if turn.segment is None else SEGMENTS.get(segment, segment),
                side=side,
                speaker_role=role,
            )
        except ValidationError as error:
            name, reason = first_problem(error)
            raise BrokenRecord(f"transcript[{place}].{name}", reason) from error
        speeches.append(speech)
    return speeches


def _outcome(polls: _Polls, of: dict[str, Any], fields: dict[str, Any]) -> Outcome | None:
    """Return the side that moved more of the audience; None where a poll is missing."""
    before, after = polls.pre, polls.post
    if before is None or after is None:
        return None
    for poll in (before, after):
        total = sum(share or 0.0 for share in (poll.pro, poll.con, poll.undecided))
        if total > _MOST_PERCENT:
            raise BrokenRecord("results", f"the shares of a poll add up to {total:g} percent")
    if before.pro is None or after.pro is None or before.con is None or after.con is None:
        return None
    return outcome_of(
        of,
        PRIMARY,
        decided_by=DECIDED_BY,
        is_primary=True,
        scores=(round(after.pro - before.pro, 6), round(after.con - before.con, 6)),
        extra=as_json(fields["results"]),
    )


def _date(value: str | None, reading: Reading) -> date | None:
    if not value or not value.strip():
        return None
    for shape in _DATES:
        with suppress(ValueError):
            return datetime.strptime(value.strip(), shape).date()
    reading.repaired["dates in no known form, left empty"] += 1
    return None


def _original(opener: Opener, shown: str) -> _Found:
    """Yield the debates of the original release.

    Raises:
        SourceUnreadable: It is no JSON object or breaks off.
    """
    for number, (identity, fields) in enumerate(iter_members(opener, shown), start=1):
        about = {name: value for name, value in _object(fields).items() if name != "transcript"}
        turns: list[_Turn] | BrokenRecord
        try:
            turns = validated(_Transcript, fields).transcript
        except BrokenRecord as broken:
            turns = broken
        yield f"record {number} ({identity[:80]!r})", about, identity, turns


def _convokit(utterances: Opener, conversations: Opener, shown: str, *, is_lines: bool) -> _Found:
    """Yield the debates of a ConvoKit corpus; it is small enough to be in memory at once.

    Args:
        shown: The corpus as the user named it.
        is_lines: Whether the utterances are JSON lines, as in newer dumps, not one list.

    Raises:
        SourceUnreadable: A file is not what it should be.
    """
    turns: dict[str, list[_Turn]] = defaultdict(list)
    faults: dict[str, BrokenRecord] = {}
    for place, row in _utterances(utterances, shown, is_lines):
        fields = _object(row)
        root = fields.get("conversation_id", fields.get("root"))
        if not isinstance(root, str):
            raise SourceUnreadable(
                f"ingestion: {shown}, {place}: has neither conversation_id nor root; expected an "
                "utterance of a ConvoKit corpus"
            )
        text = fields.get("text")
        turn = _object(fields.get("meta")) | {
            "speaker": fields.get("speaker", fields.get("user")),
            "paragraphs": [] if text is None else [text],
        }
        try:
            turns[root].append(validated(_Turn, turn, {"paragraphs": f"{place}.text"}))
        except BrokenRecord as broken:
            faults[root] = broken
    for number, (root, fields) in enumerate(iter_members(conversations, shown), start=1):
        meta = _object(fields).get("meta")
        about = meta if isinstance(meta, dict) else fields
        original = _object(about).get("originalid")
        identity = original if isinstance(original, str) and original.strip() else root
        spoken = turns.pop(root, [])
        place = f"conversation {number} ({root[:80]!r})"
        yield place, about, identity, faults.get(root, spoken)
    for root in sorted(turns):
        reason = f"{root!r} is not among the conversations"
        yield root, None, root, BrokenRecord("conversation_id", reason)


def _utterances(opener: Opener, shown: str, is_lines: bool) -> Iterator[tuple[str, Any]]:
    with opener() as stream:
        if not is_lines:
            whole = read_whole(stream, f"{shown}: the file of utterances")
            rows = _parsed(whole, f"{shown}: the utterances are")
            if not isinstance(rows, list):
                raise SourceUnreadable(f"ingestion: {shown}: the utterances should be one list")
            yield from ((f"utterance {place}", row) for place, row in enumerate(rows, start=1))
            return
        at = 0
        for number, line in enumerate(lines_of(stream, shown), start=1):
            if line.strip():
                what = f"{shown}: line {number} of the utterances, at byte {at:,}, is"
                yield f"utterance {number}", _parsed(line, what)
            at += len(line)


def _parsed(content: bytes, what: str) -> Any:
    try:
        return strict_json(content)
    except (ValueError, RecursionError) as error:
        raise SourceUnreadable(
            f"ingestion: {what} not valid JSON ({error}); nothing was loaded: fetch it again"
        ) from error
