"""NYU's human-judged debates on stories: what live and offline judges believed, step by step.

A room is about a question with two answers. Answer 0 is called pro and answer 1 con, so that a
room is a debate like any other; the answers are in `extra`. The story is kept apart, with the
question, for models that debate it or judge with it at hand: judges of a debate never see it, only
what debaters quote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from ingestion.debates.records import DebateRecord
from ingestion.json_values import as_json
from ingestion.oversight.readers.nyu.beliefs import Room, beliefs
from ingestion.oversight.readers.nyu.stories import RoomStory, keep_story
from ingestion.oversight.readers.story_debates import SIDES, context_of, outcomes_of, turn_of
from ingestion.oversight.reading import BrokenRecord, Reading, StoriesRead
from ingestion.oversight.sources.nyu import URL
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
            if name in seen:
                raise BrokenRecord("room", f"duplicate id: {NAME}:{name} is there already")
            record = _record(name, data, about.get(name, {}), reading, found)
        except BrokenRecord as broken:
            reading.reject(place, broken.field, broken.reason, data)
        except ValidationError as error:
            field, reason = first_problem(error)
            reading.reject(place, field, reason, data)
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
            # Rooms are nested deep; what is not as released is told by what could not be read.
            reason = f"is not shaped as the release ({error!r}); expected a room of the interface"
            reading.reject(place, "data", reason, data)
        else:
            seen.add(name)
            yield record


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
    story = RoomStory.of_setup(NAME, setup)
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
        "question_id": keep_story(NAME, story, question, answers, correct, found),
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
