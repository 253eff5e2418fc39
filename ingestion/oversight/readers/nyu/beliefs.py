"""The probabilities that NYU's live and offline judges stated, and when in the debate."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ingestion.json_values import as_json
from ingestion.oversight.readers.story_debates import choice_of
from ingestion.oversight.reading import BrokenRecord
from warehouse.records.debates import HumanVerdict


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
