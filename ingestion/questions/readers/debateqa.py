"""Source `debateqa`: debatable questions with their partial answers, as DebateQA releases them.

One object a line: `id`, `question`, and `partial_answers`, each a `point_of_view` and its
`explanation`. What the perspectives were drawn from is in files of their own (`debateqa_passages`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.questions.batch import QuestionBatch, QuestionPart, another_question
from ingestion.questions.readers.debateqa_passages import (
    Catalogue,
    Passages,
    read_passages,
    with_documents,
)
from ingestion.questions.sources.debateqa import URL, QuestionSettings
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, read_json_lines
from ingestion.sources.csv_cells import extra_of, id_of, shown
from ingestion.sources.parts import Part, Parts, shown_as
from warehouse.home import Home
from warehouse.records.core import Dataset
from warehouse.records.questions import Document, PartialAnswer, Question

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
_SPLITS = ("test", "dev")
_PASSAGES = re.compile(r"passages_and_index_of_POV.*\.jsonl(\.gz)?", re.IGNORECASE)


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
    identity, question = id_of(fields, "id"), fields.get("question")
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


def open_debateqa(home: Home, location: str, settings: QuestionSettings) -> QuestionBatch:
    """Return the questions of the release's files, with what their perspectives are drawn from.

    Raises:
        SourceUnreadable: There is no file of questions.
    """
    dataset = settings.named(DATASET)
    parts = Parts(home, location, dataset)
    questions, passages = _files(parts)
    return _read(dataset, parts, questions, passages, settings)


def _files(parts: Parts) -> tuple[list[str], list[str]]:
    passages = [name for name in parts.names if _PASSAGES.fullmatch(PurePosixPath(name).name)]
    questions = (
        [name for name in parts.names if name not in passages]
        if parts.is_one_file
        else [name for name in parts.names if _is_questions(name)]
    )
    if not questions:
        there = ", ".join(parts.names[:8]) or "nothing"
        raise SourceUnreadable(
            f"ingestion: {parts.shown} has no test.jsonl or dev.jsonl; it has {there}: name a file "
            "of questions, or a folder or archive that holds one (passages alone say nothing "
            "without their questions)"
        )
    return questions, passages


def _is_questions(name: str) -> bool:
    path = PurePosixPath(name.removesuffix(".gz"))
    return path.suffix == ".jsonl" and path.stem.casefold() in _SPLITS


def _split(name: str, settings: QuestionSettings) -> str | None:
    stem = PurePosixPath(name.removesuffix(".gz")).stem.casefold()
    named = next((split for split in _SPLITS if re.match(rf"{split}(?![a-z])", stem)), None)
    return settings.split or named


def _read(
    dataset: Dataset,
    parts: Parts,
    question_files: list[str],
    passage_files: list[str],
    settings: QuestionSettings,
) -> QuestionBatch:
    dataset_id = dataset.dataset_id
    read: list[tuple[Part, Questions]] = []
    known: dict[str, Questions] = {}
    for name in question_files:
        part = parts.open(name)
        reading = Reading(shown_as(part))
        # As the user names it: the landing may know the same bytes by another name.
        split = _split(parts.shown if parts.is_one_file else name, settings)
        found = read_questions(dataset_id, _rows(part, reading), reading, split)
        _drop_known(found, known)
        read.append((part, found))
        known |= dict.fromkeys(found.questions, found)
    catalogue = Catalogue(
        {identity: found.questions[identity] for identity, found in known.items()},
        {identity: found.partial_answers[identity] for identity, found in known.items()},
    )
    passages = Passages()
    documents: list[tuple[Part, Reading, list[Document]]] = []
    for name in passage_files:
        part = parts.open(name)
        reading = Reading(shown_as(part))
        rows = _rows(part, reading)
        own = read_passages(dataset_id, rows, reading, catalogue, passages)
        documents.append((part, reading, own))
    made = [
        QuestionPart(
            found.reading.source_file(part.landed),
            list(found.questions.values()),
            with_documents(
                [each for own in found.partial_answers.values() for each in own],
                passages,
                found.reading,
            ),
        )
        for part, found in read
    ]
    made += [
        QuestionPart(reading.source_file(part.landed), documents=own)
        for part, reading, own in documents
    ]
    readings = [found.reading for _, found in read] + [reading for _, reading, _ in documents]
    several = len(readings) > 1
    return QuestionBatch(
        dataset=dataset,
        parts=made,
        rejects=[reject for reading in readings for reject in reading.rejects],
        notes=[
            f"{reading.shown}: {note}" if several else note
            for reading in readings
            for note in reading.notes
        ],
    )


def _drop_known(found: Questions, known: Mapping[str, Questions]) -> None:
    """Reject questions whose id an earlier file of the load has."""
    for identity in [each for each in found.questions if each in known]:
        question = found.questions.pop(identity)
        found.partial_answers.pop(identity)
        earlier = known[identity]
        where = earlier.reading.shown
        reason = f"duplicate id: {identity} is in {where} already"
        if question.question != earlier.questions[identity].question:
            reason = another_question(question, where)
        found.reading.reject(f"question {identity}", "id", reason, {"question": question.question})


def _rows(part: Part, reading: Reading) -> Iterator[Record]:
    return reading.kept(read_json_lines(part.opener, shown=reading.shown))
