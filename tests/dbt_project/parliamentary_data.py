"""Made-up parliamentary debates, panels and judges' decisions, as rows of the raw tables."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.dbt_project.compiled_models import Models, rows_of
from tests.dbt_project.raw_rows import NOW
from warehouse.records.bp import HOUSES, ROLES

TASKS = ("house_ranks", "speaker_scores", "speaker_ranks")
PLACES: dict[str, Sequence[str]] = {
    "house_ranks": HOUSES,
    "speaker_scores": ROLES,
    "speaker_ranks": ROLES,
}
Values = Sequence[float | None]


@dataclass(frozen=True)
class Answer:
    """What one reply came to, by task and in speaking order; a task without values is unreadable.

    Attributes:
        judge: Who was asked.
        sample: Which repeat.
        is_answered: Whether there was a reply at all.
        item_hash: Of the debate as the judge read it; None if it is unknown.
        faults: Task and name of each violation.
    """

    house_ranks: Values | None = None
    speaker_scores: Values | None = None
    speaker_ranks: Values | None = None
    judge: str = "j/a"
    sample: int = 0
    is_answered: bool = True
    item_hash: str | None = None
    task: str = "all"
    experiment: str = "e"
    answered_at: str = NOW
    faults: Sequence[tuple[str, str]] = ()
    house_order: str = "og-oo-cg-co"
    tokens: int | None = None


@dataclass(frozen=True)
class Room:
    """One debate: the panel's ranks of the houses and scores of the speeches, in speaking order.

    Attributes:
        ballots: Ranks and scores of adjudicators on their own, by name.
        answers: What judges decided.
        removal: The rule that removes the debate.
        words: Of each speech.
        is_contentious: Whether the motion is marked so.
    """

    name: str
    ranks: Values | None = None
    scores: Values | None = None
    ballots: dict[str, tuple[Values, Values]] = field(default_factory=dict)
    answers: Sequence[Answer] = ()
    removal: str | None = None
    words: Sequence[int] = (1,) * 8
    is_contentious: bool | None = None


def results(room: Room, decided_by: str, ranks: Values | None, scores: Values | None) -> Any:
    """Return the rows of results that one who decided gave, as (houses, speakers)."""
    told = {"debate_id": room.name, "decided_by": decided_by}
    return (
        [
            {**told, "house": house, "team_rank": rank}
            for house, rank in zip(HOUSES, ranks or (), strict=False)
        ],
        [
            {**told, "role": role, "score": score}
            for role, score in zip(ROLES, scores or (), strict=False)
            if score is not None
        ],
    )


def adjudication(room: Room, answer: Answer) -> dict[str, Any]:
    asked = TASKS if answer.task == "all" else (answer.task,)
    read = [value is not None for task in asked for value in getattr(answer, task) or [None]]
    status = "parsed" if all(read) else "partly" if any(read) else "unparsed"
    return {
        "run_id": f"run-{answer.judge}-{answer.experiment}",
        "request_id": f"{room.name}-{answer.task}-{answer.sample}-{answer.answered_at}-"
        f"{answer.house_order}",
        "experiment": answer.experiment,
        "judge_id": answer.judge,
        "debate_id": room.name,
        "item_hash": answer.item_hash,
        "template": "bp_all",
        "wording": "own",
        "prompt_hash": "p",
        "task": answer.task,
        "manual": "bp_manual",
        "house_order": answer.house_order,
        "named_order": answer.house_order,
        "context_tokens": answer.tokens,
        "strategy": "whole",
        "has_motion": True,
        "has_info_slide": False,
        "sample": answer.sample,
        "answered_at": answer.answered_at,
        "request_status": "answered" if answer.is_answered else "error",
        "error_kind": None if answer.is_answered else "timeout",
        "parse_status": status if answer.is_answered else "not_answered",
    }


def decided(told: dict[str, Any], answer: Answer) -> Iterable[dict[str, Any]]:
    """Yield the values of an answer to a request, place by place."""
    for task in TASKS if answer.task == "all" else (answer.task,):
        values = getattr(answer, task) or [None] * len(PLACES[task])
        for place, value in zip(PLACES[task], values, strict=True):
            yield told | {
                "task": task,
                "place": place,
                "value": value,
                "reason": "missing" if value is None else None,
            }


def as_raw(rooms: Sequence[Room]) -> dict[str, Any]:
    raw: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for room in rooms:
        marks = {"is_contentious": room.is_contentious}
        raw["debates"].append(
            {
                "debate_id": room.name,
                "format": "british_parliamentary",
                "extra": None if room.is_contentious is None else json.dumps(marks),
            }
        )
        raw["speeches"] += [
            {
                "item_id": f"{room.name}/{role}",
                "debate_id": room.name,
                "role": role,
                "speech_order": order,
                "word_count": words,
            }
            for order, (role, words) in enumerate(zip(ROLES, room.words, strict=True), start=1)
        ]
        everybody = {"panel": (room.ranks, room.scores), **room.ballots}
        for decided_by, (ranks, scores) in everybody.items():
            houses, speakers = results(room, decided_by, ranks, scores)
            raw["team_results"] += houses
            raw["speaker_results"] += speakers
        if room.removal:
            raw["debate_filters"].append(
                {
                    "debate_id": room.name,
                    "rule_order": 1,
                    "rule": room.removal,
                    "is_removed": True,
                    "reason": "because",
                }
            )
        for answer in room.answers:
            request = adjudication(room, answer)
            raw["adjudications"].append(request)
            if answer.is_answered:
                told = {name: request[name] for name in ("run_id", "request_id")}
                raw["adjudication_values"] += decided(told, answer)
                raw["adjudication_faults"] += [
                    told | {"task": task, "fault": fault, "detail": "why"}
                    for task, fault in answer.faults
                ]
    return {"raw": raw}


def by_name(models: Models, query: str, key: str) -> dict[Any, dict[str, Any]]:
    rows = rows_of(models, query)
    assert len({row[key] for row in rows}) == len(rows)
    return {row[key]: row for row in rows}
