"""Source `debateqa`: debatable questions with their partial answers, as DebateQA releases them.

One object a line: `id`, `question`, and `partial_answers`, each a `point_of_view` and its
`explanation`. The documents behind the perspectives are in files of their own
(`debateqa_passages`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.questions.batch import QuestionBatch, QuestionPart, another_question
from ingestion.questions.readers.debateqa_passages import Passages
from ingestion.questions.sources.debateqa import LICENCE, URL, QuestionSettings
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, read_json_lines
from ingestion.sources.csv_cells import extra_of, id_of, shown
from ingestion.sources.parts import Part, Parts, shown_as
from warehouse.records.core import Dataset
from warehouse.records.questions import PartialAnswer, Question

NAME = "debateqa"
DATASET = Dataset(
    dataset_id=NAME,
    title="DebateQA: debatable questions with partial answers",
    licence=LICENCE,
    citation="Xu, Qi et al., DebateQA: Evaluating Question Answering on Debatable Knowledge, 2024",
    url=URL,
)
_FIELDS = ("id", "question", "partial_answers", "split", "origin", "domain")
_SPLITS = ("test", "dev")
_PASSAGES = re.compile(r"passages_and_index_of_POV.*\.jsonl(\.gz)?", re.IGNORECASE)


@dataclass
class Questions:
    """Questions of one file, and the perspectives of each by its id."""

    reading: Reading
    questions: dict[str, Question] = field(default_factory=dict)
    partial_answers: dict[str, list[PartialAnswer]] = field(default_factory=dict)


def read_questions(
    dataset_id: str, rows: Iterable[Record], reading: Reading, split: str | None
) -> Questions:
    """Read the questions of a file; `split` applies to records without one.

    A broken perspective is rejected alone and the others keep their places. A question without
    perspectives is kept and counted: nothing measures an answer to it.
    """
    found = Questions(reading)
    places: dict[str, str] = {}
    for row in rows:
        fields = row.fields
        with reading.whole(row.place, fields, {"question_id": "id"}):
            identity, text = id_of(fields, "id"), fields.get("question")
            if not isinstance(text, str):
                raise BrokenRecord("question", f"should be text; found {shown(text)}")
            question = Question(
                question_id=f"{dataset_id}:{identity}",
                dataset_id=dataset_id,
                question=text,
                split=fields.get("split") or split,
                origin=fields.get("origin") or None,
                domain=fields.get("domain") or None,
                extra=extra_of(fields, _FIELDS),
            )
            name = question.question_id
            if name in places:
                raise BrokenRecord("id", f"duplicate id: {name} is {places[name]} already")
            listed = fields.get("partial_answers")
            if not isinstance(listed, list | None):
                reason = f"should be a list of objects; found {shown(listed)}"
                raise BrokenRecord("partial_answers", reason)
            places[name] = row.place
            found.questions[name] = question
            found.partial_answers[name] = list(_perspectives(question, listed or [], row, reading))
            if not listed:
                reading.repaired["questions without partial answers, loaded without any"] += 1
    return found


def _perspectives(
    question: Question, listed: list[Any], row: Record, reading: Reading
) -> Iterator[PartialAnswer]:
    for position, fields in enumerate(listed, start=1):
        place = f"partial_answers[{position - 1}]"
        with reading.whole(row.place, fields, within=f"{place}."):
            if not isinstance(fields, dict):
                reason = "should be an object with point_of_view and explanation"
                raise BrokenRecord(place, f"{reason}; found {shown(fields)}")
            yield PartialAnswer(
                partial_answer_id=f"{question.question_id}/p{position}",
                dataset_id=question.dataset_id,
                question_id=question.question_id,
                position=position,
                point_of_view=fields.get("point_of_view"),  # type: ignore[arg-type]
                explanation=fields.get("explanation"),  # type: ignore[arg-type]
                extra=extra_of(fields, ("point_of_view", "explanation")),
            )


def open_debateqa(parts: Parts, settings: QuestionSettings) -> QuestionBatch:
    """Read the questions of the release's files, and the documents of their perspectives.

    Raises:
        SourceUnreadable: There is no file of questions.
    """
    dataset = settings.named(DATASET)
    passage_files = [name for name in parts.names if _PASSAGES.fullmatch(PurePosixPath(name).name)]
    question_files = [
        name
        for name in parts.names
        if name not in passage_files and (parts.is_one_file or _stem(name, ".jsonl") in _SPLITS)
    ]
    if not question_files:
        there = ", ".join(parts.names[:8]) or "nothing"
        raise SourceUnreadable(
            f"ingestion: {parts.shown} has no test.jsonl or dev.jsonl; it has {there}: name a file "
            "of questions, or a folder or archive that holds one (passages alone say nothing "
            "without their questions)"
        )
    known: dict[str, Questions] = {}
    read: list[tuple[Part, Questions]] = []
    for name in question_files:
        part, reading = _opened(parts, name)
        # As the user names it: the landing may know the same bytes by another name.
        stem = _stem(parts.shown if parts.is_one_file else name)
        named = next((each for each in _SPLITS if re.match(rf"{each}(?![a-z])", stem)), None)
        rows = reading.kept(read_json_lines(part.opener, shown=reading.shown))
        found = read_questions(dataset.dataset_id, rows, reading, settings.split or named)
        _reject_duplicates(found, known)
        known |= dict.fromkeys(found.questions, found)
        read.append((part, found))
    passages = Passages(
        {name: found.questions[name] for name, found in known.items()},
        {name: found.partial_answers[name] for name, found in known.items()},
    )
    readings = [found.reading for _, found in read]
    documents: list[QuestionPart] = []
    for name in passage_files:
        part, reading = _opened(parts, name)
        rows = reading.kept(read_json_lines(part.opener, shown=reading.shown))
        described = passages.read(dataset.dataset_id, rows, reading)
        documents.append(QuestionPart(reading.source_file(part.landed), documents=described))
        readings.append(reading)
    questions = []
    for part, found in read:
        answers = [each for own in found.partial_answers.values() for each in own]
        questions.append(
            QuestionPart(
                found.reading.source_file(part.landed),
                list(found.questions.values()),
                passages.with_documents(answers, found.reading),
            )
        )
    return QuestionBatch(
        dataset=dataset,
        parts=[*questions, *documents],
        rejects=[reject for reading in readings for reject in reading.rejects],
        notes=[
            f"{reading.shown}: {note}" if len(readings) > 1 else note
            for reading in readings
            for note in reading.notes
        ],
    )


def _stem(name: str, suffix: str | None = None) -> str:
    path = PurePosixPath(name.removesuffix(".gz"))
    return path.stem.casefold() if suffix in (None, path.suffix) else ""


def _opened(parts: Parts, name: str) -> tuple[Part, Reading]:
    part = parts.open(name)
    return part, Reading(shown_as(part))


def _reject_duplicates(found: Questions, known: dict[str, Questions]) -> None:
    """Reject questions with the id of a question of an earlier file."""
    for name in [each for each in found.questions if each in known]:
        question = found.questions.pop(name)
        found.partial_answers.pop(name)
        where = known[name].reading.shown
        reason = f"duplicate id: {name} is in {where} already"
        if question.question != known[name].questions[name].question:
            reason = another_question(question, where)
        found.reading.reject(f"question {name}", "id", reason, {"question": question.question})
