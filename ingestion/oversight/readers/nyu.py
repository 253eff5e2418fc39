"""NYU's human-judged debates on stories: what live and offline judges believed, step by step.

A room is about a question with two answers. Answer 0 is called pro and answer 1 con, so that a
room is a debate like any other; the answers are in `extra`. The story and its question are records
of their own, for models that debate it or judge with it at hand: judges of a debate never see the
story, only what debaters quote.

Rooms come in one JSON file each, or in lines of name and room.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictInt
from pydantic.alias_generators import to_camel

from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.turns import turn_of
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.oversight.batch import in_drawn_order
from ingestion.oversight.readers.story_debates import SIDES, choice_of, context_of, outcomes_of
from ingestion.oversight.sources.nyu import LICENCE, URL
from ingestion.reading import BrokenRecord, Reading, StoriesRead, expected, validated
from ingestion.sources.containers import Opener, lines_of, read_whole
from ingestion.sources.parts import Parts, source_files
from warehouse.records.core import (
    Dataset,
    Debate,
    FilterRule,
    Finite,
    Removal,
    Side,
    SpeakerRole,
    Speech,
)
from warehouse.records.debates import HumanVerdict
from warehouse.records.oversight import ReadingQuestion, Story
from warehouse.records.strict_json import strict_json

_TOKENS = "-LSB- -RSB- -LRB- -RRB- -LCB- -RCB- `` '' `"
_SHOWN = dict(zip(_TOKENS.split(), ["[", "]", "(", ")", "{", "}", '"', '"', "'"], strict=True))
# Tokens that are joined to the word before them, and to the word after them.
_CLOSES = re.compile(r"[.,;:!?%]+|\.\.\.|-R[SRC]B-|''?|n't|'(?:s|ll|re|d|ve|m)", re.IGNORECASE)
_OPENS = re.compile(r"-L[SRC]B-|``?|[$\n]")
NAME = "nyu-debates"
DATASET = Dataset(
    dataset_id=NAME,
    title="Debates on long stories judged by people (NYU, 2023)",
    licence=LICENCE,
    citation="Michael, Mahdi, Rein, Petty, Dirani, Padmakumar and Bowman, Debate Helps Supervise "
    "Unreliable Experts, 2023",
    url=URL,
)
RULES = (
    FilterRule("nothing_said", "Nobody has said anything yet."),
    FilterRule("consultancy", "Only one answer has a debater."),
    FilterRule("silent_side", "One side says nothing at all."),
    FilterRule("unfinished", "The debate has not ended."),
)
_SPOKEN = ("SimultaneousSpeeches", "SequentialSpeeches")
_METADATA = ("metadata.jsonl", "debates-metadata.jsonl", "debates-metadata.json")


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _tokens(value: Any) -> list[str]:
    return [str(token) for token in value] if isinstance(value, list) else []


def _only_member(value: Any) -> Any:
    """Return the content of an object whose only name is its kind."""
    return next(iter(_object(value).values()), {})


def _time(value: Any) -> datetime | None:
    """Return milliseconds as a time in UTC without a zone; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value / 1000, UTC).replace(tzinfo=None)
    except (OverflowError, OSError, ValueError):
        raise ValueError("should be milliseconds since 1970") from None


def _flat_round(value: Any) -> dict[str, Any]:
    kind, content = next(iter(_object(value).items()), ("", None))
    if not isinstance(content, dict) or len(value) != 1:
        raise ValueError("should be an object with one kind of round")
    return {**content, "kind": kind}


def _shares(value: tuple[float, float]) -> tuple[float, float]:
    if abs(sum(value) - 1) > 1e-6:
        raise ValueError("sum")
    # Values carry float noise such as 0.010000000000000009.
    return round(value[0], 9), round(value[1], 9)


_Time = Annotated[datetime | None, BeforeValidator(_time)]
_Shares = Annotated[
    tuple[Finite, Finite], AfterValidator(_shares), expected("two probabilities that sum to 1")
]


class _Segment(BaseModel):
    """A piece of a speech: text, or a quote of the story's tokens."""

    text: str | None = None
    span: tuple[int, int] | None = None


class _Speech(BaseModel):
    speaker: Any = None
    timestamp: _Time = None
    content: list[Annotated[_Segment, BeforeValidator(_only_member)]]

    def text(self, tokens: Sequence[str], field: str) -> tuple[str, int]:
        """Return the text with quotes marked, and the number of quotes outside the story."""
        parts, outside = [], 0
        for segment in self.content:
            if segment.span is not None:
                first, end = segment.span
                outside += not 0 <= first <= end <= len(tokens)
                parts.append(f"<quote>{' '.join(tokens[max(0, first) : max(0, end)])}</quote>")
            elif segment.text is not None:
                parts.append(segment.text)
            else:
                raise BrokenRecord(field, "has a segment without text and without span")
        return "".join(parts), outside


class _Belief(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    distribution: _Shares | None = None
    feedback: _Speech | None = None
    end_debate: Any = None


class _OfflineJudge(BaseModel):
    mode: Any = None
    judgments: list[_Belief] | None = None


class _Round(_Belief):
    """A round of any kind, with the fields of all kinds."""

    kind: str
    judgments: dict[str, _OfflineJudge] = {}
    speeches: dict[Literal["0", "1"], _Speech] = {}
    votes: dict[str, Any] = {}


class _Story(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    contents: Annotated[list[str], BeforeValidator(_tokens)] = []
    title: Any = None
    article_id: Any = None

    @property
    def story_id(self) -> str | None:
        """The same id for every room about the story; None where the room has no text."""
        name = self.article_id or self.title
        if not name and any(token.strip() for token in self.contents):
            name = hashlib.sha256(" ".join(self.contents).encode()).hexdigest()[:12]
        return f"{NAME}:story {name}" if name else None


class _Setup(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    question: Annotated[str, expected("text")]
    answers: Annotated[list[Any], Field(min_length=2, max_length=2), expected("two answers")]
    correct_answer_index: Annotated[StrictInt, Field(ge=0, le=1), expected("0 or 1")]
    roles: Annotated[dict[str, Any], BeforeValidator(_object)] = {}
    source_material: Annotated[_Story, BeforeValidator(_only_member)] = _Story()
    creation_time: _Time = None


class _Room(BaseModel):
    setup: _Setup
    rounds: list[Annotated[_Round, BeforeValidator(_flat_round)]]


class _About(BaseModel):
    """A room's line of the metadata file."""

    model_config = ConfigDict(alias_generator=to_camel)
    included_in_paper: Any = None
    status: Annotated[Any, BeforeValidator(lambda value: next(iter(_object(value)), None))] = None


def open_nyu(parts: Parts) -> DatasetBatch:
    """Return the rooms of a file or folder."""
    reading = Reading(parts.shown)
    metadata = parts.beside(_METADATA) if parts.is_one_file else parts.find(_METADATA)
    paths = {name: PurePosixPath(name.removesuffix(".gz")) for name in parts.names}
    rooms = [
        parts.open(name)
        for name, path in paths.items()
        if "metadata" not in path.name and path.suffix in (".json", ".jsonl")
    ]
    if not rooms:
        raise parts.lacking(("rooms.jsonl.gz", "official/<room>.json"))
    about = read_metadata(metadata.opener, metadata.landed.shown) if metadata else {}
    if not metadata:
        reading.note("no metadata file: which rooms the paper includes is not known")
    files = source_files([*rooms, *([metadata] if metadata else [])], parts.shown)
    read = read_rooms([(part.name, part.opener) for part in rooms], parts.shown)
    found = StoriesRead()
    return DatasetBatch(
        dataset=DATASET,
        rules=RULES,
        files=files,
        readings=[reading],
        records=records_of(read, about, reading, found),
        found=found,
    )


def read_rooms(files: Sequence[tuple[str, Opener]], shown: str) -> Iterator[tuple[str, str, Any]]:
    """Yield place, name and content of every room.

    A file of lines holds `{"room": name, "data": room}`.

    Raises:
        SourceUnreadable: A file is not valid JSON.
    """
    for name, opener in files:
        path = PurePosixPath(name.removesuffix(".gz"))
        with opener() as stream:
            if path.suffix == ".json":
                content = read_whole(stream, f"{shown}, file {name}")
                yield f"file {name}", path.stem, _parsed(content, shown, f"file {name}")
                continue
            for place, row in _json_lines(lines_of(stream, shown), shown):
                if not isinstance(row, dict) or not isinstance(row.get("room"), str):
                    raise SourceUnreadable(
                        f"ingestion: {shown}, {place}: expected an object with room and data"
                    )
                yield place, row["room"], row.get("data")


def read_metadata(opener: Opener, shown: str) -> Mapping[str, _About]:
    """Return the metadata of the rooms, by the room's name.

    Raises:
        SourceUnreadable: It is not valid JSON.
    """
    with opener() as stream:
        content = read_whole(stream, shown)
    if content.lstrip().startswith(b"["):
        rows = _parsed(content, shown, "the list")
    else:
        rows = [row for _, row in _json_lines(content.splitlines(), shown)]
    named = [row for row in rows if isinstance(row, dict) and isinstance(row.get("name"), str)]
    return {row["name"]: _About.model_validate(row) for row in named}


def _json_lines(lines: Iterable[bytes], shown: str) -> Iterator[tuple[str, Any]]:
    at = 0
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield f"line {number}", _parsed(line, shown, f"line {number}", at)
        at += len(line)


def _parsed(text: bytes, shown: str, place: str, at: int = 0) -> Any:
    try:
        return strict_json(text)
    except ValueError as error:
        byte = at + int(getattr(error, "pos", 0))
        raise SourceUnreadable(
            f"ingestion: {shown}, {place}: is not valid JSON at byte {byte:,} ({error}); nothing "
            "was loaded: fetch it again"
        ) from error


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


def records_of(
    rooms: Iterator[tuple[str, str, Any]],
    about: Mapping[str, _About],
    reading: Reading,
    found: StoriesRead,
) -> Iterator[DebateRecord]:
    """Yield a debate per room, which comes as its place, name and content."""
    seen: set[str] = set()
    for place, name, data in rooms:
        reading.records += 1
        with reading.whole(place, data):
            if name in seen:
                raise BrokenRecord("room", f"duplicate id: {NAME}:{name} is there already")
            try:
                room = validated(_Room, data)
            except BrokenRecord as broken:
                field, _, path = (broken.field or "").partition(".")
                if not field.startswith("rounds["):
                    raise
                raise BrokenRecord(field, f"{path} {broken.reason}".strip()) from None
            record = _record(name, room, about.get(name, _About()), reading, found)
            seen.add(name)
            yield record


def _record(
    name: str, room: _Room, about: _About, reading: Reading, found: StoriesRead
) -> DebateRecord:
    setup, story = room.setup, room.setup.source_material
    correct = setup.correct_answer_index
    debaters = sum(role in setup.roles for role in ("Debater A", "Debater B"))
    of: dict[str, Any] = {"debate_id": f"{NAME}:{name}", "dataset_id": NAME}
    verdicts = _verdicts(room, of, "debate" if debaters > 1 else "consultancy")
    turns, quotes_outside = _turns(room, of, reading)
    sides = [turn.side for turn in turns if turn.side]
    final = next((each for each in verdicts if each.mode == "live" and each.is_final), None)
    has_ended = any(each.votes and all(each.votes.values()) for each in room.rounds)
    is_finished = final is not None or has_ended or about.status == "Complete"
    removal = None
    if not sides:
        removal = Removal("nothing_said", "the room has no speeches")
    elif debaters < 2:
        removal = Removal("consultancy", f"debaters: {debaters}")
    elif len(set(sides)) < 2:
        removal = Removal("silent_side", f"only {sides[0]} speaks")
    elif not is_finished:
        removal = Removal("unfinished", "no judge has decided")
    rest = {
        "answers": setup.answers,
        "correct_answer": correct,
        "roles": setup.roles,
        "article_id": story.article_id,
        "story_title": story.title,
        "is_ai": "GPT-4" in setup.roles.values(),
        "included_in_paper": about.included_in_paper,
        "status": about.status,
        # More than one where somebody stood in: their beliefs are then not one person's.
        "live_judges": len({each.judge_id for each in verdicts if each.mode == "live"}),
        "question_id": _add_story(setup, found),
        # What models may judge: a debate that no rule removes, or a consultancy that is over.
        "is_judgeable": is_finished
        and (removal is None or removal.rule == "consultancy")
        and len(set(sides)) == debaters,
        "quotes_outside_story": quotes_outside,
    }
    started = setup.creation_time
    debate = Debate(
        **of,
        motion=setup.question,
        context=context_of(setup.answers),
        format="story-debate" if debaters == 2 else "story-consultancy",
        round_count=sum(each.kind in _SPOKEN for each in room.rounds),
        end_side=sides[-1] if sides else None,
        start_date=started.date() if started else None,
        extra=as_json(rest),
        cluster_id=story.story_id,
    )
    outcomes = outcomes_of(of, correct, final, "live_judge")
    return DebateRecord(debate, turns, outcomes, removal, verdicts)


def _verdicts(room: _Room, of: Mapping[str, Any], protocol: str) -> list[HumanVerdict]:
    """Return every belief of a room: the live judge's, from before any speech on, and others'.

    A step is the number of the belief from 0. The last live belief of a room that was not ended is
    no verdict.
    """
    beliefs: list[tuple[str, _Belief, str, int, str | None]] = []
    for number, each in enumerate(room.rounds):
        field = f"rounds[{number}]"
        if each.kind == "JudgeFeedback":
            step = sum(judge is None for *_, judge in beliefs)
            beliefs.append((field, each, "live", step, None))
        elif each.kind == "OfflineJudgments":
            beliefs += [
                (field, belief, str(offline.mode), step, judge)
                for judge, offline in each.judgments.items()
                for step, belief in enumerate(offline.judgments or [])
            ]
    verdicts = []
    for field, belief, mode, step, judge in beliefs:
        if belief.distribution is None:
            raise BrokenRecord(field, "has no distribution; expected two probabilities")
        feedback = belief.feedback or _Speech(content=[])
        person = judge or feedback.speaker
        if not isinstance(person, str) or not person.strip():
            raise BrokenRecord(field, "has a belief without anybody who holds it")
        p_pro = belief.distribution[0]
        text = "".join(each.text or "" for each in feedback.content)
        verdicts.append(
            HumanVerdict(
                **of,
                judge_id=f"{NAME}:{person.strip()}",
                protocol=protocol,
                mode=mode,
                is_interactive=mode == "live",
                step=step,
                is_final=belief.end_debate is True,
                choice=choice_of(p_pro),
                p_pro=p_pro,
                explanation=text if text.strip() else None,
                judged_at=feedback.timestamp,
                extra=as_json({"p_correct": belief.distribution[room.setup.correct_answer_index]}),
            )
        )
    return verdicts


def _turns(room: _Room, of: Mapping[str, Any], reading: Reading) -> tuple[list[Speech], int]:
    """Return the speeches, and the number of quotes that reach outside the story."""
    tokens = room.setup.source_material.contents
    turns: list[Speech] = []
    spoken = outside_story = 0
    for number, each in enumerate(room.rounds):
        field = f"rounds[{number}]"
        speeches: list[tuple[Side | None, SpeakerRole, _Speech]] = []
        if each.kind in _SPOKEN:
            spoken += 1
            speeches += [
                (SIDES[int(key)], "debater", each.speeches[key]) for key in sorted(each.speeches)
            ]
        elif each.kind == "JudgeFeedback" and each.feedback:
            speeches.append((None, "judge", each.feedback))
        for side, role, speech in speeches:
            text, outside = speech.text(tokens, field)
            outside_story += outside
            if text.strip():
                turn = turn_of(
                    of,
                    len(turns) + 1,
                    text,
                    str(speech.speaker or role).strip(),
                    round=str(spoken),
                    side=side,
                    speaker_role=role,
                    extra=as_json({"quotes_outside_story": outside}) if outside else None,
                )
                turns.append(turn)
            elif side:
                reading.repaired["turns without any text, not loaded"] += 1
    if outside_story:
        reading.repaired["quotes that reach outside their story, kept as far as it goes"] += (
            outside_story
        )
    return turns, outside_story


def _add_story(setup: _Setup, found: StoriesRead) -> str | None:
    """Add a room's story and question, and return the question's id; None where a text is missing.

    A story or question that another room brought stays as it is: rooms share them.
    """
    story, answers = setup.source_material, setup.answers
    story_id, text = story.story_id, story_text(story.contents)
    has_texts = all(isinstance(each, str) and each.strip() for each in (setup.question, *answers))
    if story_id is None or not text or not has_texts:
        return None
    if story_id not in found.stories:
        title = story.title if isinstance(story.title, str) else None
        found.stories[story_id] = Story(
            story_id=story_id, dataset_id=NAME, text=text, title=title, source="QuALITY"
        )
    # The same in whichever order a room has its answers.
    texts = "\n".join([story_id, setup.question, *sorted(answers)])
    name = f"{NAME}:{hashlib.md5(texts.encode(), usedforsecurity=False).hexdigest()[:12]}"
    if name not in found.questions:
        correct = setup.correct_answer_index
        first, second, right = in_drawn_order(name, answers[correct], answers[1 - correct])
        found.questions[name] = ReadingQuestion(
            question_id=name,
            dataset_id=NAME,
            story_id=story_id,
            question=setup.question,
            answer_0=first,
            answer_1=second,
            right_answer=right,
        )
    return name
