"""Source `curated`: a folder in which `rostrum curate` made a set of debatable questions.

`steps/` holds a file per finished step (its funnel, removals with their reasons, and what was
left), and `data/` the questions and documents once people have annotated them. A program wrote
these files, so a malformed line means a damaged file: the load is refused whole.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ingestion.batch import SourceFile
from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed, land
from ingestion.questions.batch import QuestionBatch, QuestionPart, ranked_documents
from ingestion.questions.curation.batch import CurationBatch, CurationPart
from ingestion.questions.readers.debateqa import read_questions
from ingestion.questions.sources.curated import WHERE, CuratedSettings
from ingestion.reading import Reading
from ingestion.records import Record
from warehouse.home import Home
from warehouse.records.core import Dataset, first_problem
from warehouse.records.questions import (
    STEPS,
    TASKS,
    CurationRule,
    CurationStep,
    PartialAnswer,
    Step,
)
from warehouse.records.strict_json import strict_json
from warehouse.records.tables import TABLES

NAME = "curated"
LICENCE = "Not stated; that of the questions and documents it was made from"
AGAIN = "run 'rostrum curate' on the folder again, it goes on from what is whole"

Line = dict[str, Any]
_SCHEMA_VERSION = 1
_MAKERS = ("embedder", "model", "reranker")


@dataclass(frozen=True)
class File:
    """Lines of one file of the folder, and the landed copy they were read from."""

    landed: Landed
    lines: Sequence[Line]

    @property
    def source(self) -> SourceFile:
        """The file as a load names it."""
        return self.landed.source_file(len(self.lines))

    def lines_of(self, kind: str) -> list[tuple[int, Line]]:
        """Return the lines of a kind with their numbers."""
        return [
            (number, line)
            for number, line in enumerate(self.lines, start=1)
            if line.get("kind") == kind
        ]

    def broken(self, number: int, fault: str) -> SourceUnreadable:
        """Return the error for a faulty line."""
        return SourceUnreadable(
            f"ingestion: {self.landed.shown}, line {number}: {fault}; nothing was loaded: {AGAIN}"
        )

    @contextmanager
    def line(self, number: int) -> Iterator[None]:
        """Name the line in errors of what is read inside."""
        try:
            yield
        except KeyError as error:
            raise self.broken(number, f"has no, or an unknown, {error}") from None
        except ValidationError as error:
            name, reason = first_problem(error)
            raise self.broken(number, f"field '{name}': {reason}") from None
        except (TypeError, AttributeError):
            raise self.broken(number, "is not of the form it should have") from None


def read_lines(home: Home, path: Path, *, may_be_empty: bool = False) -> File:
    """Land a file and return its lines.

    Raises:
        SourceUnreadable: It is missing or empty, or a line is no JSON object.
    """
    landed = land(home, path, source=NAME, licence=LICENCE)
    file = File(landed, lines := [])
    with landed.path.open("rb") as stream:
        for number, text in enumerate(stream, start=1):
            try:
                line = strict_json(text)
            except (ValueError, RecursionError) as error:
                raise file.broken(number, f"is no JSON ({error})") from None
            if not isinstance(line, dict):
                raise file.broken(number, f"should be an object; found {line!r}")
            lines.append(line)
    if not lines and not may_be_empty:
        raise file.broken(1, "is missing, the file is empty")
    return file


class StepRows:
    """Rows of the steps' files by raw table; lines of later steps name those of earlier ones."""

    def __init__(self, dataset_id: str, files: Mapping[str, File]) -> None:
        self._dataset_id = dataset_id
        self._texts: dict[tuple[str, str], str] = {}
        self._documents: dict[tuple[str, str], str] = {}
        self._answers: dict[str, tuple[str, str]] = {}
        for step, file in files.items():
            for number, line in file.lines_of("record"):
                with file.line(number):
                    self._remember(step, line)

    def _remember(self, step: str, line: Line) -> None:
        question = line.get("question_id")
        match line["record"]:
            case "Question":
                self._texts["question", line["question_id"]] = line["question"]
            case "PointOfView":
                point = f"{line['question_id']}/p{line['position']}"
                self._texts["partial_answer", point] = line["point_of_view"]
            case "Evidence":
                document = line["question_id"], line["document"]["document_id"]
                self._documents[document] = f"{question}/d{line['position']}"
            case "PartialAnswer" if step == "partial_answers":
                text = f"{line['point_of_view']}\n\n{line['explanation']}"
                text_hash = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
                self._answers[line["partial_answer_id"]] = line["question_id"], text_hash

    def step_part(self, step: str, file: File) -> CurationPart:
        """Return all rows of a step's file."""
        about: Line = {"step": step, "step_order": STEPS.index(step) + 1}
        with file.line(1):
            made_with = file.lines[0].get("made_with", {})
            names = {part: made_with.get(part) for part in _MAKERS}
            done = CurationStep(self._dataset_id, is_done=True, **about, **names)
        rows: dict[str, list[Any]] = {"curation_steps": [done]}
        rows["curation_rules"] = list(self._rules(about, file))
        for number, line in enumerate(file.lines, start=1):
            with file.line(number):
                for table, row in self._rows(step, line):
                    record = TABLES[table].record(dataset_id=self._dataset_id, **row)
                    rows.setdefault(table, []).append(record)
        return CurationPart(file.source, rows)

    def waiting(self, step: Step) -> CurationStep:
        """Return the row of a step that is not done."""
        return CurationStep(self._dataset_id, step, STEPS.index(step) + 1, is_done=False)

    def _rules(self, about: Line, file: File) -> Iterator[CurationRule]:
        removed: Counter[tuple[str, str]] = Counter()
        for number, line in file.lines_of("removed"):
            with file.line(number):
                removed[line.get("unit", ""), line.get("rule", "")] += 1
        last: Counter[str] = Counter()
        for number, line in [*file.lines_of("rule"), *file.lines_of("note")]:
            is_rule = line["kind"] == "rule"
            with file.line(number):
                unit, rule = line["unit"], line["rule" if is_rule else "note"]
                last[unit] += 1
                affected = line["n_removed" if is_rule else "n"]
                listed = removed[unit, rule]
                if is_rule and listed != affected:
                    fault = f"counts {affected} removed, and the file lists {listed}"
                    raise file.broken(number, fault)
                yield CurationRule(
                    self._dataset_id,
                    **about,
                    unit=unit,
                    rule_order=last[unit],
                    rule=rule,
                    effect="removes" if is_rule else "notes",
                    n_before=line["n_before"] if is_rule else None,
                    n_affected=affected,
                )

    def _rows(self, step: str, line: Line) -> Iterator[tuple[str, Line]]:
        """Yield the rows of a line with their tables."""

        def ids(*names: str) -> Line:
            return {name: self._id(line[name]) for name in names}

        match line.get("record", line.get("kind")):
            case "removed":
                row = {name: line[name] for name in ("unit", "rule", "detail")}
                text = self._texts.get((line["unit"], line["item_id"]))
                row |= ids("item_id", "because_of") | {"step": step, "text": text}
                yield "curation_removals", row
            case "Annotation":
                question, text_hash = self._answers[line["partial_answer_id"]]
                shared = ids("partial_answer_id", "annotator_id")
                shared |= {"question_id": self._id(question), "text_hash": text_hash}
                for column, task in TASKS.items():
                    yield "curation_annotations", shared | {"task": task, "is_met": line[column]}
            case "ExaminedChunk":
                document = self._documents[line["question_id"], line["document_id"]]
                copied = (
                    "position",
                    "similarity",
                    "chunk_rank",
                    "nearest_similarity",
                    "is_covered",
                )
                row = {name: line[name] for name in copied}
                row["chunk_id"] = self._id(f"{document}/c{line['position']}")
                row["document_id"] = self._id(document)
                yield "curation_chunks", row | ids("question_id", "nearest_partial_answer_id")
            case "ExaminedPair":
                row = {name: line[name] for name in ("similarity", "is_distinct")}
                yield "curation_pairs", row | ids("question_id", "first_id", "second_id")

    def _id(self, name: str | None) -> str | None:
        return None if name is None else f"{self._dataset_id}:{name}"


def open_curated(home: Home, location: str, settings: CuratedSettings) -> CurationBatch:
    """Land the files of a folder of curation, and return what they hold.

    Raises:
        SourceUnreadable: It is no such folder, or a file in it is damaged.
    """
    name = settings.dataset
    dataset = Dataset(name, f"Curated questions ({name})", LICENCE)
    folder = Path(location).expanduser()
    files = _steps(home, folder)
    rows = StepRows(name, files)
    parts = [rows.step_part(step, file) for step, file in files.items()]
    missing = STEPS[len(files) :]
    last = files[STEPS[len(files) - 1]]
    parts.append(CurationPart(last.source, {"curation_steps": list(map(rows.waiting, missing))}))
    if not missing:
        return CurationBatch(dataset, parts, _questions(home, folder, name, dataset, last))
    note = (
        f"the step '{missing[0]}' is not done, so only the funnel so far was loaded; questions "
        "that an earlier load brought stay"
    )
    return CurationBatch(dataset, parts, notes=[note])


def _steps(home: Home, folder: Path) -> dict[str, File]:
    """Return the files of the finished steps in order."""
    paths: dict[str, Path] = {step: folder / "steps" / f"{step}.jsonl" for step in STEPS}
    done = [step for step, path in paths.items() if path.is_file()]
    if not done:
        raise SourceUnreadable(
            f"ingestion: {folder} holds no step of curation (steps/merge.jsonl is the first); "
            f"nothing was loaded: {WHERE}"
        )
    for step, expected in zip(done, STEPS, strict=False):
        if step != expected:
            raise SourceUnreadable(
                f"ingestion: {folder} has steps/{step}.jsonl and not steps/{expected}.jsonl, which "
                f"comes before it; nothing was loaded: {AGAIN}"
            )
    files = {step: read_lines(home, paths[step]) for step in done}
    for step, file in files.items():
        head, end = file.lines[0], file.lines[-1]
        if head.get("kind") != "step" or head.get("step") != step:
            raise file.broken(1, f"should begin the step '{step}'; found {_short(head)}")
        if head.get("schema_version") != _SCHEMA_VERSION:
            raise file.broken(1, f"should have schema_version {_SCHEMA_VERSION}")
        if end.get("kind") != "end":
            raise file.broken(len(file.lines), "should be the end, so the file is cut off")
    return files


def _questions(
    home: Home, folder: Path, name: str, dataset: Dataset, annotated: File
) -> QuestionBatch:
    """Return the questions left by the annotation, under their ids in the folder."""
    questions, documents = (
        read_lines(home, folder / "data" / f"{kind}.jsonl", may_be_empty=True)
        for kind in ("questions", "documents")
    )
    reading = Reading(questions.landed.shown)
    rows = (Record(f"line {number}", line) for number, line in enumerate(questions.lines, start=1))
    found = read_questions(name, rows, reading, None)
    if reading.rejects:
        raise SourceUnreadable(
            f"ingestion: {reading.rejects[0].sentence}; nothing was loaded: {AGAIN}"
        )
    answers = [
        _as_curated(name, answer, questions)
        for question in found.questions
        for answer in found.partial_answers[question]
    ]
    kept = {
        f"{name}:{line.get('partial_answer_id')}"
        for _, line in annotated.lines_of("record")
        if line.get("record") == "PartialAnswer"
    }
    if kept != {answer.partial_answer_id for answer in answers}:
        raise SourceUnreadable(
            f"ingestion: {questions.landed.shown} has other partial answers than "
            f"{annotated.landed.shown}, which it is made from; nothing was loaded: {AGAIN}"
        )
    described = []
    ranked = ranked_documents(name)
    for number, line in enumerate(documents.lines, start=1):
        with documents.line(number):
            described.append(ranked(line))
    parts = [
        QuestionPart(questions.source, list(found.questions.values()), answers),
        QuestionPart(documents.source, documents=described),
    ]
    return QuestionBatch(dataset, parts)


def _as_curated(dataset_id: str, answer: PartialAnswer, file: File) -> PartialAnswer:
    """Give a perspective the id it was annotated by: removed ones leave gaps."""
    try:
        extra = json.loads(answer.extra or "{}")
        name, documents = str(extra.pop("id")), extra.pop("documents")
        prefix = answer.question_id.removeprefix(f"{dataset_id}:") + "/p"
        return replace(
            answer,
            partial_answer_id=f"{dataset_id}:{name}",
            position=int(name.removeprefix(prefix)),
            document_ids=tuple(f"{dataset_id}:{each}" for each in documents),
            extra=json.dumps(extra, ensure_ascii=False) if extra else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceUnreadable(
            f"ingestion: {file.landed.shown}: the partial answer {answer.partial_answer_id} lacks "
            f"its id or its documents ({_short(str(error))}); nothing was loaded: {AGAIN}"
        ) from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
