"""NYU's human-judged debates on stories: what live and offline judges believed, step by step.

A room is about a question with two answers. Answer 0 is called pro and answer 1 con, so that a
room is a debate like any other; the answers are in `extra`. The story is kept apart, with the
question, for models that debate it or judge with it at hand: judges of a debate never see it, only
what debaters quote.

Rooms come in one JSON file each, or in lines of name and room.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ingestion.debates.batch import DebateRecord, DebateSource
from ingestion.debates.turns import turn_of
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.oversight.batch import in_drawn_order
from ingestion.oversight.readers.story_debates import (
    SIDES,
    choice_of,
    context_of,
    outcomes_of,
)
from ingestion.oversight.sources.nyu import URL
from ingestion.reading import BrokenRecord, Reading, StoriesRead
from ingestion.registry import Settings
from ingestion.sources.containers import Opener, lines_of, read_whole
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
)
from warehouse.records.debates import HumanVerdict
from warehouse.records.oversight import ReadingQuestion, Story
from warehouse.records.strict_json import strict_json

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
NAME = "nyu-debates"
FORMATS = {1: "story-consultancy", 2: "story-debate"}
DATASET = Dataset(
    dataset_id=NAME,
    title="Debates on long stories judged by people (NYU, 2023)",
    licence="CC-BY-4.0",
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


def open_nyu(home: Home, location: str, settings: Settings) -> DebateSource:
    """Return the rooms of a file or folder."""
    del settings
    parts = Parts(home, location, DATASET)
    reading = Reading(parts.shown)
    metadata = parts.beside(_METADATA) if parts.is_one_file else parts.find(_METADATA)
    rooms = [parts.open(name) for name in parts.names if is_rooms_file(name)]
    if not rooms:
        raise parts.lacking(("rooms.jsonl.gz", "official/<room>.json"))
    about = read_metadata(metadata.opener, metadata.landed.shown) if metadata else {}
    if not metadata:
        reading.note("no metadata file: which rooms the paper includes is not known")
    files = source_files([*rooms, *([metadata] if metadata else [])], parts.shown)
    read = read_rooms([(part.name, part.opener) for part in rooms], parts.shown)
    found = StoriesRead()
    return DebateSource(
        dataset=DATASET,
        rules=RULES,
        files=files,
        reading=reading,
        records=records_of(read, about, reading, found),
        found=found,
    )


def is_rooms_file(name: str) -> bool:
    """Say whether a file holds rooms, by its name."""
    path = PurePosixPath(name.removesuffix(".gz"))
    return "metadata" not in path.name and path.suffix in (".json", ".jsonl")


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
                yield (
                    f"file {name}",
                    path.stem,
                    _parsed(read_whole(stream, f"{shown}, file {name}"), shown, f"file {name}", 0),
                )
                continue
            at = 0
            for number, line in enumerate(lines_of(stream, shown), start=1):
                place = f"line {number}"
                if line.strip():
                    row = _parsed(line, shown, place, at)
                    if not isinstance(row, dict) or not isinstance(row.get("room"), str):
                        raise SourceUnreadable(
                            f"ingestion: {shown}, {place}: expected an object with room and data"
                        )
                    yield place, row["room"], row.get("data")
                at += len(line)


def read_metadata(opener: Opener, shown: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what the metadata file says of each room, by the room's name.

    Raises:
        SourceUnreadable: It is not valid JSON.
    """
    with opener() as stream:
        content = read_whole(stream, shown)
    if content.lstrip().startswith(b"["):
        rows = _parsed(content, shown, "the list", 0)
    else:
        rows = [
            _parsed(line, shown, f"line {number}", 0)
            for number, line in enumerate(content.splitlines(), start=1)
            if line.strip()
        ]
    named = [row for row in rows if isinstance(row, dict) and isinstance(row.get("name"), str)]
    return {row["name"]: row for row in named}


def _parsed(text: bytes, shown: str, place: str, at: int) -> Any:
    try:
        return strict_json(text)
    except ValueError as error:
        byte = at + int(getattr(error, "pos", 0))
        raise SourceUnreadable(
            f"ingestion: {shown}, {place}: is not valid JSON at byte {byte:,} ({error}); nothing "
            "was loaded: fetch it again"
        ) from error


class Room(NamedTuple):
    """What beliefs are about; `of` holds the debate's id and its data set's."""

    of: dict[str, Any]
    rounds: list[Any]
    protocol: str
    correct: int


def beliefs(room: Room) -> list[HumanVerdict]:
    """Return every belief of a room: the live judge's, from before any speech on, then others'.

    A step is the number of the belief from 0. The last live belief of a room that was not ended is
    no verdict.
    """
    found: list[HumanVerdict] = []
    live = 0
    for number, one_round in enumerate(room.rounds):
        if not isinstance(one_round, dict) or len(one_round) != 1:
            raise BrokenRecord(f"rounds[{number}]", "should be an object with one kind of round")
        kind, content = next(iter(one_round.items()))
        if not isinstance(content, dict):
            raise BrokenRecord(f"rounds[{number}]", f"{kind} is no object")
        if kind == "JudgeFeedback":
            found.append(_belief(room, content, f"rounds[{number}]", mode="live", step=live))
            live += 1
        elif kind == "OfflineJudgments":
            found += _offline(room, content, f"rounds[{number}]")
    return found


def _offline(room: Room, content: dict[str, Any], field: str) -> Iterator[HumanVerdict]:
    for judge, judged in content.get("judgments", {}).items():
        for step, said in enumerate(judged.get("judgments") or []):
            mode = str(judged.get("mode"))
            yield _belief(room, said, field, mode=mode, step=step, judge=judge)


def _belief(
    room: Room, said: dict[str, Any], field: str, *, mode: str, step: int, judge: str | None = None
) -> HumanVerdict:
    shares: Any = said.get("distribution")
    is_pair = isinstance(shares, list) and len(shares) == 2
    if not is_pair or not all(isinstance(share, int | float) for share in shares):
        raise BrokenRecord(field, f"has the distribution {shares!r}; expected two probabilities")
    if abs(sum(shares) - 1) > 1e-6:
        raise BrokenRecord(field, f"has probabilities {shares!r} that do not sum to 1")
    feedback = said.get("feedback") or {}
    text = "".join(
        segment["Text"]["text"] for segment in feedback.get("content", []) if "Text" in segment
    )
    at = feedback.get("timestamp")
    # Values carry float noise such as 0.010000000000000009.
    p_pro = round(float(shares[0]), 9)
    person = judge or feedback.get("speaker")
    if not isinstance(person, str) or not person.strip():
        raise BrokenRecord(field, "has a belief without anybody who holds it")
    return HumanVerdict(
        **room.of,
        judge_id=f"{room.of['dataset_id']}:{person.strip()}",
        protocol=room.protocol,
        mode=mode,
        is_interactive=mode == "live",
        step=step,
        is_final=said.get("endDebate") is True,
        choice=choice_of(p_pro),
        p_pro=p_pro,
        explanation=text if text.strip() else None,
        judged_at=datetime.fromtimestamp(at / 1000, UTC).replace(tzinfo=None) if at else None,
        extra=as_json({"p_correct": round(float(shares[room.correct]), 9)}),
    )


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
    def of_setup(cls, setup: dict[str, Any]) -> RoomStory:
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
        return cls(tokens, f"{NAME}:story {name}" if name else None, title, article)


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


def question_id(story_id: str, question: str, answers: Sequence[str]) -> str:
    """Return the id of a question, the same in whichever order a room has its answers."""
    told = "\n".join([story_id, question, *sorted(answers)])
    return f"{NAME}:{hashlib.md5(told.encode(), usedforsecurity=False).hexdigest()[:12]}"


def keep_story(
    room: RoomStory, question: str, answers: Sequence[str], correct: int, found: StoriesRead
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
            dataset_id=NAME,
            text=text,
            title=room.title if isinstance(room.title, str) else None,
            source="QuALITY",
        )
    name = question_id(room.story_id, question, answers)
    if name not in found.questions:
        first, second, right = in_drawn_order(name, answers[correct], answers[1 - correct])
        found.questions[name] = ReadingQuestion(
            question_id=name,
            dataset_id=NAME,
            story_id=room.story_id,
            question=question,
            answer_0=first,
            answer_1=second,
            right_answer=right,
        )
    return name


def records_of(
    rooms: Iterator[tuple[str, str, Any]],
    about: Mapping[str, Mapping[str, Any]],
    reading: Reading,
    found: StoriesRead,
) -> Iterator[DebateRecord]:
    """Yield a debate per room, which comes as its place, name and content."""
    seen: set[str] = set()
    for place, name, data in rooms:
        reading.records += 1
        try:
            with reading.whole(place, data):
                if name in seen:
                    raise BrokenRecord("room", f"duplicate id: {NAME}:{name} is there already")
                record = _record(name, data, about.get(name, {}), reading, found)
                seen.add(name)
                yield record
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
            # Rooms are nested deep; what is not as released is told by what could not be read.
            reason = f"is not shaped as the release ({error!r}); expected a room of the interface"
            reading.reject(place, "data", reason, data)


def _record(
    name: str, data: Any, about: Mapping[str, Any], reading: Reading, found: StoriesRead
) -> DebateRecord:
    setup = data.get("setup") if isinstance(data, dict) else None
    if not isinstance(setup, dict) or not isinstance(data.get("rounds"), list):
        raise BrokenRecord("setup", "or rounds is missing; expected a room of the NYU interface")
    answers, correct = setup.get("answers"), setup.get("correctAnswerIndex")
    if not isinstance(answers, list) or len(answers) != 2:
        raise BrokenRecord("setup.answers", f"should be two answers; found {answers!r}")
    if correct not in (0, 1) or isinstance(correct, bool):
        raise BrokenRecord("setup.correctAnswerIndex", f"should be 0 or 1; found {correct!r}")
    question, roles = setup.get("question"), setup.get("roles")
    if not isinstance(question, str):
        raise BrokenRecord("setup.question", f"should be text; found {question!r}")
    roles = roles if isinstance(roles, dict) else {}
    debaters = sum(role in roles for role in ("Debater A", "Debater B"))
    story = RoomStory.of_setup(setup)
    of: dict[str, Any] = {"debate_id": f"{NAME}:{name}", "dataset_id": NAME}
    room = Room(of, data["rounds"], "debate" if debaters > 1 else "consultancy", correct)
    verdicts = beliefs(room)
    turns, quotes_outside = _turns(room, story.tokens, reading)
    sides = [turn.side for turn in turns if turn.side]
    final = next((each for each in verdicts if each.mode == "live" and each.is_final), None)
    status = next(iter(about.get("status") or {}), None)
    is_finished = final is not None or _ended_by_agreement(data["rounds"]) or status == "Complete"
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
        "answers": answers,
        "correct_answer": correct,
        "roles": roles,
        "article_id": story.article,
        "story_title": story.title,
        "is_ai": "GPT-4" in roles.values(),
        "included_in_paper": about.get("includedInPaper"),
        "status": status,
        # More than one where somebody stood in: their beliefs are then not one person's.
        "live_judges": len({each.judge_id for each in verdicts if each.mode == "live"}),
        "question_id": keep_story(story, question, answers, correct, found),
        # What models may judge: a debate that no rule removes, or a consultancy that is over.
        "is_judgeable": is_finished
        and (removal is None or removal.rule == "consultancy")
        and len(set(sides)) == debaters,
        "quotes_outside_story": quotes_outside,
    }
    debate = Debate(
        **of,
        motion=question,
        context=context_of(answers),
        format=FORMATS.get(debaters, "story-consultancy"),
        round_count=sum(next(iter(each), "") in _SPOKEN for each in data["rounds"]),
        end_side=sides[-1] if sides else None,
        start_date=_day(setup.get("creationTime")),
        extra=as_json(rest),
        cluster_id=story.story_id,
    )
    outcomes = outcomes_of(of, correct, final, "live_judge")
    return DebateRecord(debate, turns, outcomes, removal, verdicts)


def _turns(room: Room, tokens: Sequence[str], reading: Reading) -> tuple[list[Speech], int]:
    """Return what was said, and how many quotes reach outside the story."""
    speeches: list[Speech] = []
    spoken = all_outside = 0
    for number, one_round in enumerate(room.rounds):
        kind, content = next(iter(one_round.items()))
        said: list[tuple[Side | None, SpeakerRole, Any]] = []
        if kind in _SPOKEN:
            spoken += 1
            for key, speech in sorted(content.get("speeches", {}).items()):
                if key not in ("0", "1"):
                    raise BrokenRecord(f"rounds[{number}]", f"has a speech for answer {key!r}")
                said.append((SIDES[int(key)], "debater", speech))
        elif kind == "JudgeFeedback":
            said.append((None, "judge", content.get("feedback")))
        for side, role, speech in said:
            text, outside = _text(speech, tokens, f"rounds[{number}]")
            all_outside += outside
            if not text.strip():
                if side:
                    reading.repaired["turns without any text, not loaded"] += 1
                continue
            speeches.append(
                turn_of(
                    room.of,
                    len(speeches) + 1,
                    text,
                    str(speech.get("speaker") or role).strip(),
                    round=str(spoken),
                    side=side,
                    speaker_role=role,
                    extra=as_json({"quotes_outside_story": outside}) if outside else None,
                )
            )
    if all_outside:
        reading.repaired["quotes that reach outside their story, kept as far as it goes"] += (
            all_outside
        )
    return speeches, all_outside


def _text(speech: Any, tokens: Sequence[str], field: str) -> tuple[str, int]:
    """Put texts and quotes together in order, quotes marked; count quotes outside the story."""
    if not isinstance(speech, dict) or not isinstance(speech.get("content"), list):
        raise BrokenRecord(field, "has a speech without a list of segments")
    parts: list[str] = []
    outside = 0
    for segment in speech["content"]:
        kind, content = next(iter(segment.items()))
        if kind == "Text":
            parts.append(content["text"])
            continue
        first, end = content["span"]
        outside += not 0 <= first <= end <= len(tokens)
        parts.append(f"<quote>{' '.join(tokens[max(0, first) : max(0, end)])}</quote>")
    return "".join(parts), outside


def _ended_by_agreement(rounds: list[Any]) -> bool:
    for one_round in rounds:
        votes = one_round.get("NegotiateEnd", {}).get("votes", {})
        if votes and all(votes.values()):
            return True
    return False


def _day(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return datetime.fromtimestamp(value / 1000, UTC).date()
