"""The files of DebateQA's release: questions, then the passages that name them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from ingestion.batch import SourceFile
from ingestion.errors import SourceUnreadable
from ingestion.oversight.reading import Reading
from ingestion.questions.batch import QuestionBatch, QuestionPart, another_question
from ingestion.questions.readers.debateqa import Questions, read_questions
from ingestion.questions.readers.debateqa_passages import (
    Catalogue,
    Passages,
    read_passages,
    with_documents,
)
from ingestion.questions.sources.debateqa import QuestionSettings
from ingestion.records import Record, read_json_lines
from ingestion.sources.parts import Part, Parts, shown_as
from warehouse.records.core import Dataset
from warehouse.records.questions import Document

_SPLITS = ("test", "dev")
_PASSAGES = re.compile(r"passages_and_index_of_POV.*\.jsonl(\.gz)?", re.IGNORECASE)


def read_release(parts: Parts, dataset: Dataset, settings: QuestionSettings) -> QuestionBatch:
    """Return what the files of a release hold.

    Args:
        parts: The files.
        dataset: The data set to load into.
        settings: What the user says.

    Raises:
        SourceUnreadable: There is no file of questions.
    """
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
            _file(part, found.reading),
            list(found.questions.values()),
            with_documents(
                [each for own in found.partial_answers.values() for each in own],
                passages,
                found.reading,
            ),
        )
        for part, found in read
    ]
    made += [QuestionPart(_file(part, reading), (), (), own) for part, reading, own in documents]
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


def _file(part: Part, reading: Reading) -> SourceFile:
    landed = part.landed
    return SourceFile(reading.shown, landed.label, landed.sha256, reading.records)
