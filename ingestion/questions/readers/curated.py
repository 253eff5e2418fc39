"""Source `curated`: a folder in which `rostrum curate` made a set of debatable questions.

`steps/` holds a file per step that is done (its funnel, what fell and why, and what was left), and
`data/` the questions and documents, once people have annotated them. A program wrote these files,
so a line that is not as it should be means that the file is damaged: the load is refused whole.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.oversight.reading import Reading
from ingestion.questions.batch import QuestionBatch, QuestionPart
from ingestion.questions.curation.batch import CurationBatch, CurationPart
from ingestion.questions.readers.curated_files import (
    AGAIN,
    LICENCE,
    File,
    read_lines,
    short,
)
from ingestion.questions.readers.curated_rows import StepRows
from ingestion.questions.readers.debateqa import read_questions
from ingestion.questions.sources.curated import WHERE
from ingestion.records import Record
from warehouse.home import Home
from warehouse.records.core import Dataset
from warehouse.records.questions import STEPS, Document, PartialAnswer

_SCHEMA_VERSION = 1


def read_curated(home: Home, location: str, name: str) -> CurationBatch:
    """Return what a folder of curation holds, its files landed.

    Args:
        home: The home.
        location: The folder.
        name: The data set to load into.

    Raises:
        SourceUnreadable: The folder is none of curation, or a file in it is damaged.
    """
    dataset = Dataset(name, f"Curated questions ({name})", LICENCE)
    folder = Path(location).expanduser()
    found = _steps(home, folder)
    names = StepRows(dataset.dataset_id, found)
    parts = [names.part(step, file) for step, file in found.items()]
    missing = STEPS[len(found) :]
    waiting = [
        {"step": step, "step_order": STEPS.index(step) + 1, "is_done": False} for step in missing
    ]
    last = found[STEPS[len(found) - 1]]
    parts.append(CurationPart(last.source, {"curation_steps": names.rows(last, waiting)}))
    if missing:
        note = (
            f"the step '{missing[0]}' is not done, so only the funnel so far was loaded; questions "
            "that an earlier load brought stay"
        )
        return CurationBatch(dataset, parts, None, [note])
    return CurationBatch(dataset, parts, _questions(home, folder, dataset, found["annotation"]))


def _steps(home: Home, folder: Path) -> dict[str, File]:
    """Return the files of the steps that are done, in their order."""
    there: list[str] = [step for step in STEPS if (folder / "steps" / f"{step}.jsonl").is_file()]
    if not there:
        raise SourceUnreadable(
            f"ingestion: {folder} holds no step of curation (steps/merge.jsonl is the first); "
            f"nothing was loaded: {WHERE}"
        )
    for step, expected in zip(there, STEPS, strict=False):
        if step != expected:
            raise SourceUnreadable(
                f"ingestion: {folder} has steps/{step}.jsonl and not steps/{expected}.jsonl, which "
                f"comes before it; nothing was loaded: {AGAIN}"
            )
    found = {step: read_lines(home, folder / "steps" / f"{step}.jsonl") for step in there}
    for step, file in found.items():
        head, end = file.lines[0], file.lines[-1]
        if head.get("kind") != "step" or head.get("step") != step:
            raise file.broken(1, f"should begin the step '{step}'; found {short(head)}")
        if head.get("schema_version") != _SCHEMA_VERSION:
            raise file.broken(1, f"should have schema_version {_SCHEMA_VERSION}")
        if end.get("kind") != "end":
            raise file.broken(len(file.lines), "should be the end, so the file is cut off")
    return found


def _questions(home: Home, folder: Path, dataset: Dataset, annotated: File) -> QuestionBatch:
    """Return the data set that the annotation has left, by the ids it has in the folder."""
    asked, documents = (
        read_lines(home, folder / "data" / f"{name}.jsonl", may_be_empty=True)
        for name in ("questions", "documents")
    )
    name = dataset.dataset_id
    reading = Reading(asked.landed.shown)
    rows = (Record(f"line {number}", line) for number, line in enumerate(asked.lines, start=1))
    found = read_questions(name, rows, reading, None)
    if reading.rejects:
        raise SourceUnreadable(
            f"ingestion: {reading.rejects[0].sentence}; nothing was loaded: {AGAIN}"
        )
    answers = [
        _as_curated(name, one, asked)
        for question in found.questions
        for one in found.partial_answers[question]
    ]
    kept = {f"{name}:{line.get('partial_answer_id')}" for _, line in annotated.of("PartialAnswer")}
    if kept != {one.partial_answer_id for one in answers}:
        raise SourceUnreadable(
            f"ingestion: {asked.landed.shown} has other partial answers than "
            f"{annotated.landed.shown}, which it is made from; nothing was loaded: {AGAIN}"
        )
    described = []
    ranks: Counter[Any] = Counter()
    for number, line in enumerate(documents.lines, start=1):
        with documents.line(number):
            ranks[line["question"]] += 1
            described.append(
                Document(
                    document_id=f"{name}:{line['id']}",
                    dataset_id=name,
                    text=line["text"],
                    question_id=f"{name}:{line['question']}",
                    position=ranks[line["question"]],
                    url=line["url"],
                    title=line["title"],
                )
            )
    parts = [
        QuestionPart(asked.source, list(found.questions.values()), answers),
        QuestionPart(documents.source, documents=described),
    ]
    return QuestionBatch(dataset, parts)


def _as_curated(dataset_id: str, one: PartialAnswer, file: File) -> PartialAnswer:
    """Give a perspective the id it was annotated by: those that were removed leave gaps."""
    try:
        extra = json.loads(one.extra or "{}")
        own, documents = str(extra.pop("id")), extra.pop("documents")
        position = int(own.removeprefix(one.question_id.removeprefix(f"{dataset_id}:") + "/p"))
        return replace(
            one,
            partial_answer_id=f"{dataset_id}:{own}",
            position=position,
            document_ids=tuple(f"{dataset_id}:{each}" for each in documents),
            extra=json.dumps(extra, ensure_ascii=False) if extra else None,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SourceUnreadable(
            f"ingestion: {file.landed.shown}: the partial answer {one.partial_answer_id} lacks its "
            f"id or its documents ({short(str(error))}); nothing was loaded: {AGAIN}"
        ) from None
