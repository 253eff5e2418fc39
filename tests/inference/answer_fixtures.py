"""Made-up questions, points of view and answers, as ingestion writes them."""

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inference_fixtures import write_data_set

from inference.items import ItemSource, Rating
from inference.judges.request import Request
from inference.kinds import KIND
from inference.kinds.protocol import Item, Kind, PromptVariant
from inference.kinds.questions import AnsweringVariant
from inference.questions.answers import Answer, Comparison, Generation, PartialAnswer, Question
from inference.runs.requests import RequestBook
from inference.templates import load_template

_template = functools.cache(load_template)
# Who answered: in the answers file, and nowhere else.
SENTINEL = "secret/model-7b"
POINTS = (
    (
        "Cars take the room that children play in",
        "A street without cars is a place to meet. Cities that closed streets saw more people there.",
    ),
    (
        "Shops need customers who come by car",
        "Heavy goods are not carried home on foot. Owners report lower sales after closures.",
    ),
    (
        "Buses must come first",
        "Nobody leaves a car at home without another way to travel. Trains and buses need money.",
    ),
)


def question_row(number: int, dataset: str = "made-up", split: str = "test") -> dict[str, Any]:
    text = f"Should cars be banned from city number {number}?"
    return {
        "question_id": f"{dataset}:{number:03}",
        "item_hash": _sha256(text),
        "question": text,
        "split": split,
        "domain": None,
        "word_count": len(text.split()),
    }


def point_rows(
    question_id: str, points: Sequence[tuple[str, str]] = POINTS
) -> list[dict[str, Any]]:
    return [
        {
            "partial_answer_id": f"{question_id}/p{place}",
            "question_id": question_id,
            "position": place,
            "point_of_view": view,
            "explanation": why,
            "text_hash": _sha256(f"{view}\n\n{why}"),
        }
        for place, (view, why) in enumerate(points, start=1)
    ]


def answer_row(question: Mapping[str, Any], text: str, number: int = 0) -> dict[str, Any]:
    return {
        "answer_id": f"{question['question_id']}@{number:016x}",
        "answer_hash": _sha256(f"{question['question']}\n\n{text}"),
        "question_id": question["question_id"],
        "question": question["question"],
        "answer": text,
        "word_count": len(text.split()),
        "judge_id": SENTINEL,
    }


def write_questions(
    folder: Path,
    count: int = 4,
    *,
    dataset: str = "made-up",
    answers: Sequence[str] | None = None,
    splits: Sequence[str] = ("test",),
    points: Mapping[int, Sequence[tuple[str, str]]] | None = None,
) -> ItemSource:
    """Write a data set of questions; with `answers` each question has every one of them."""
    questions = [question_row(n, dataset, splits[n % len(splits)]) for n in range(count)]
    tables: dict[str, list[dict[str, Any]]] = {
        "questions": questions,
        "partial_answers": [
            row
            for number, question in enumerate(questions)
            # Not in their order: positions decide.
            for row in reversed(
                point_rows(question["question_id"], (points or {}).get(number, POINTS))
            )
        ],
    }
    if answers is not None:
        tables["answers"] = [
            answer_row(question, text, number)
            for number, text in enumerate(answers)
            for question in questions
        ]
    return write_data_set(folder, dataset, tables)


def question(text: str = "Should cars be banned?") -> Question:
    return Question("d", "d:1", _sha256(text), text, "test")


def answer(text: str = "Cars take room. People disagree.") -> Answer:
    asked = "Should cars be banned?"
    fields = (_sha256(f"{asked}\n\n{text}"), "d:1", asked, text, len(text.split()))
    return Answer("d", "d:1@0", *fields)


def partial_answers(
    points: Sequence[tuple[str, str]] = POINTS, question_id: str = "d:1"
) -> tuple[PartialAnswer, ...]:
    return tuple(
        PartialAnswer(
            row["partial_answer_id"], row["point_of_view"], row["explanation"], row["text_hash"]
        )
        for row in point_rows(question_id, points)
    )


def request(
    item: Item,
    arm: Generation | Rating | Comparison,
    template: str,
    points: tuple[PartialAnswer, ...] = (),
    sample: int = 0,
) -> Request:
    kind = AnsweringVariant if isinstance(arm, Generation) else PromptVariant
    asked = kind(_template(template), sample, arm)
    if isinstance(item, Answer):
        item = replace(item, partial_answers=points)
    book = RequestBook(_kind(arm), [asked], {"temperature": 0.0, "max_tokens": 16}, 1)
    return book.request(item, asked)


def _kind(arm: Generation | Rating | Comparison) -> Kind:
    names = {Generation: "question", Rating: "answer", Comparison: "likelihood"}
    return KIND[names[type(arm)]]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
