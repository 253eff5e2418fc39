"""Source `debateqa`: debatable questions with their partial answers, as DebateQA releases them.

One object a line: `id`, `question`, and `partial_answers`, each a `point_of_view` and its
`explanation`. What the perspectives were drawn from is in files of their own (`debateqa_passages`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ingestion.oversight.reading import BrokenRecord, Reading
from ingestion.questions.sources.debateqa import URL
from ingestion.records import Record
from ingestion.sources.cells import extra_of, id_text, shown
from warehouse.records.core import Dataset
from warehouse.records.questions import PartialAnswer, Question

NAME = "debateqa"
DATASET = Dataset(
    dataset_id=NAME,
    title="DebateQA: debatable questions with partial answers",
    licence="Not stated; see the source's page",
    citation="Xu, Qi et al., DebateQA: Evaluating Question Answering on Debatable Knowledge, 2024",
    url=URL,
)
_FIELDS = ("id", "question", "partial_answers", "split", "origin", "domain")
_OF_PERSPECTIVE = ("point_of_view", "explanation")
_NAMES = {"question_id": "id"}
_WITHOUT = "questions without partial answers, loaded without any"


@dataclass
class Questions:
    """The questions of one file, read.

    Attributes:
        reading: Counts records and collects what is none.
        questions: The questions, by id.
        partial_answers: The perspectives of each question, by its id.
    """

    reading: Reading
    questions: dict[str, Question] = field(default_factory=dict)
    partial_answers: dict[str, list[PartialAnswer]] = field(default_factory=dict)


def read_questions(
    dataset_id: str, rows: Iterable[Record], reading: Reading, split: str | None
) -> Questions:
    """Read the questions of a file.

    A broken perspective is rejected alone and keeps its place; the others keep theirs. A question
    without perspectives is kept and counted: nothing measures an answer to it.

    Args:
        dataset_id: The data set.
        rows: The file's records.
        reading: Collects what is no question.
        split: The part of the data set the file holds, where its records do not say.
    """
    found = Questions(reading)
    places: dict[str, str] = {}
    for row in rows:
        with reading.whole(row.place, row.fields, _NAMES):
            question = _question(dataset_id, row.fields, split)
            known = places.get(question.question_id)
            if known is not None:
                raise BrokenRecord("id", f"duplicate id: {question.question_id} is {known} already")
            listed = row.fields.get("partial_answers")
            if not isinstance(listed, list | None):
                raise BrokenRecord(
                    "partial_answers", f"should be a list of objects; found {shown(listed)}"
                )
            places[question.question_id] = row.place
            found.questions[question.question_id] = question
            own = list(_perspectives(question, listed or [], row, reading))
            found.partial_answers[question.question_id] = own
            if not listed:
                reading.repaired[_WITHOUT] += 1
    return found


def _question(dataset_id: str, fields: dict[str, Any], split: str | None) -> Question:
    identity, question = id_text(fields.get("id")), fields.get("question")
    if identity is None:
        raise BrokenRecord("id", f"should be a number or a text; found {shown(fields.get('id'))}")
    if not isinstance(question, str):
        raise BrokenRecord("question", f"should be text; found {shown(question)}")
    return Question(
        question_id=f"{dataset_id}:{identity}",
        dataset_id=dataset_id,
        question=question,
        split=fields.get("split") or split,
        origin=fields.get("origin") or None,
        domain=fields.get("domain") or None,
        extra=extra_of(fields, _FIELDS),
    )


def _perspectives(
    question: Question, listed: list[Any], row: Record, reading: Reading
) -> Iterator[PartialAnswer]:
    for position, said in enumerate(listed, start=1):
        place = f"partial_answers[{position - 1}]"
        with reading.whole(row.place, said, within=f"{place}."):
            if not isinstance(said, dict):
                raise BrokenRecord(
                    place,
                    f"should be an object with point_of_view and explanation; found {shown(said)}",
                )
            yield PartialAnswer(
                partial_answer_id=f"{question.question_id}/p{position}",
                dataset_id=question.dataset_id,
                question_id=question.question_id,
                position=position,
                # The contract says what is wrong with what is no text.
                point_of_view=said.get("point_of_view"),  # type: ignore[arg-type]
                explanation=said.get("explanation"),  # type: ignore[arg-type]
                extra=extra_of(said, _OF_PERSPECTIVE),
            )
