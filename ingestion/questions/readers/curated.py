"""Source `curated`: a folder in which `rostrum curate` made a set of debatable questions.

`steps/` holds a file per step that is done (its funnel, what fell and why, and what was left), and
`data/` the questions and documents, once people have annotated them. A program wrote these files,
so a line that is not as it should be means that the file is damaged: the load is refused whole.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
)
from warehouse.records.strict_json import strict_json
from warehouse.records.tables import TABLES

NAME = "curated"
LICENCE = "Not stated; that of the questions and documents it was made from"
AGAIN = "run 'rostrum curate' on the folder again, it goes on from what is whole"

Line = dict[str, Any]
_SCHEMA_VERSION = 1


@dataclass(frozen=True)
class File:
    """One file of the folder, read.

    Attributes:
        landed: The copy that was read.
    """

    landed: Landed
    lines: Sequence[Line]

    @property
    def source(self) -> SourceFile:
        """The file as a load names it."""
        return self.landed.source_file(len(self.lines))

    def of(self, kind: str) -> list[tuple[int, Line]]:
        """Return the lines of one kind, or the records of one class, with their numbers."""
        return [
            (number, line)
            for number, line in enumerate(self.lines, start=1)
            if kind in (line.get("kind"), line.get("record"))
        ]

    def broken(self, number: int, what: str) -> SourceUnreadable:
        """Return the error that says what is wrong with a line."""
        return SourceUnreadable(
            f"ingestion: {self.landed.shown}, line {number}: {what}; nothing was loaded: {AGAIN}"
        )

    @contextmanager
    def line(self, number: int) -> Iterator[None]:
        """Say with its place what is missing in a line that is read inside, or wrong with it."""
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
    """Return all lines of a file, a copy of which is landed.

    Args:
        may_be_empty: Whether it may have no line.

    Raises:
        SourceUnreadable: It is not there, or a line of it is no JSON object.
    """
    landed = land(home, path, source=NAME, licence=LICENCE)
    lines: list[Line] = []
    with landed.path.open("rb") as stream:
        for number, text in enumerate(stream, start=1):
            try:
                line = strict_json(text)
            except (ValueError, RecursionError) as error:
                raise File(landed, ()).broken(number, f"is no JSON ({error})") from None
            if not isinstance(line, dict):
                raise File(landed, ()).broken(number, f"should be an object; found {line!r}")
            lines.append(line)
    if not lines and not may_be_empty:
        raise File(landed, ()).broken(1, "is missing, the file is empty")
    return File(landed, lines)


def short(value: Any) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


class StepRows:
    """Turns lines of the steps' files into rows.

    Args:
        found: The files by step; later ones name what is in earlier ones.
    """

    def __init__(self, dataset_id: str, found: Mapping[str, File]) -> None:
        self._dataset_id = dataset_id
        self._texts: dict[tuple[str, Any], Any] = {}
        self._documents: dict[tuple[Any, Any], str] = {}
        self._answers: dict[Any, tuple[Any, str]] = {}
        for file in found.values():
            for number, line in [*file.of("Question"), *file.of("PointOfView")]:
                with file.line(number):
                    if line["record"] == "Question":
                        self._texts["question", line["question_id"]] = line["question"]
                    else:
                        name = f"{line['question_id']}/p{line['position']}"
                        self._texts["partial_answer", name] = line["point_of_view"]
            for number, line in file.of("Evidence"):
                with file.line(number):
                    place = f"{line['question_id']}/d{line['position']}"
                    key = line["question_id"], line["document"]["document_id"]
                    self._documents[key] = place
        if "partial_answers" in found:
            file = found["partial_answers"]
            for number, line in file.of("PartialAnswer"):
                with file.line(number):
                    text = f"{line['point_of_view']}\n\n{line['explanation']}"
                    said = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
                    self._answers[line["partial_answer_id"]] = line["question_id"], said

    def id(self, own: Any) -> str | None:
        """Return the id in the warehouse of what the folder calls so."""
        return None if own is None else f"{self._dataset_id}:{own}"

    def rows(self, file: File, lines: Sequence[Line], number: int = 1) -> list[Any]:
        """Return valid rows of the steps' table."""
        return [self._valid(CurationStep, line, file, number) for line in lines]

    def part(self, step: str, file: File) -> CurationPart:
        """Return all rows of a step's file."""
        makers: dict[str, tuple[str, Callable[[Line], Iterator[Line]]]] = {
            "curation_removals": ("removed", self._removal),
            "curation_annotations": ("Annotation", self._annotations),
            "curation_chunks": ("ExaminedChunk", self._chunk),
            "curation_pairs": ("ExaminedPair", self._pair),
        }
        order = STEPS.index(step) + 1
        with file.line(1):
            made_with = {
                part: file.lines[0].get("made_with", {}).get(part)
                for part in ("embedder", "model", "reranker")
            }
        about = {"step": step, "step_order": order, "is_done": True, **made_with}
        found: dict[str, list[Any]] = {"curation_steps": self.rows(file, [about])}
        found["curation_rules"] = self._rules(step, order, file)
        for table, (kind, make) in makers.items():
            rows = found.setdefault(table, [])
            for number, line in file.of(kind):
                with file.line(number):
                    made = list(make(line))
                for row in made:
                    whole = {"step": step, **row} if table == "curation_removals" else row
                    rows.append(self._valid(TABLES[table].record, whole, file, number))
        return CurationPart(file.source, found)

    def _rules(self, step: str, order: int, file: File) -> list[Any]:
        removed: Counter[tuple[Any, Any]] = Counter()
        for number, line in file.of("removed"):
            with file.line(number):
                removed[line.get("unit"), line.get("rule")] += 1
        rows: list[Any] = []
        last: Counter[str] = Counter()
        for number, line in [*file.of("rule"), *file.of("note")]:
            with file.line(number):
                unit, is_rule = line["unit"], line["kind"] == "rule"
                last[unit] += 1
                row = {
                    "step": step,
                    "step_order": order,
                    "unit": unit,
                    "rule_order": last[unit],
                    "rule": line["rule"] if is_rule else line["note"],
                    "effect": "removes" if is_rule else "notes",
                    "n_before": line["n_before"] if is_rule else None,
                    "n_affected": line["n_removed"] if is_rule else line["n"],
                }
            listed = removed[unit, row["rule"]]
            if is_rule and listed != row["n_affected"]:
                raise file.broken(
                    number, f"counts {row['n_affected']} removed, and the file lists {listed}"
                )
            rows.append(self._valid(CurationRule, row, file, number))
        return rows

    def _removal(self, line: Line) -> Iterator[Line]:
        yield {
            "unit": line["unit"],
            "item_id": self.id(line["item_id"]),
            "rule": line["rule"],
            "text": self._texts.get((line["unit"], line["item_id"])),
            "detail": line["detail"],
            "because_of": self.id(line["because_of"]),
        }

    def _annotations(self, line: Line) -> Iterator[Line]:
        question_id, text_hash = self._answers[line["partial_answer_id"]]
        for column, task in TASKS.items():
            yield {
                "partial_answer_id": self.id(line["partial_answer_id"]),
                "question_id": self.id(question_id),
                "annotator_id": self.id(line["annotator_id"]),
                "task": task,
                "is_met": line[column],
                "text_hash": text_hash,
            }

    def _chunk(self, line: Line) -> Iterator[Line]:
        document = self._documents[line["question_id"], line["document_id"]]
        copied = ("position", "similarity", "chunk_rank", "nearest_similarity", "is_covered")
        yield {name: line[name] for name in copied} | {
            "chunk_id": self.id(f"{document}/c{line['position']}"),
            "question_id": self.id(line["question_id"]),
            "document_id": self.id(document),
            "nearest_partial_answer_id": self.id(line["nearest_partial_answer_id"]),
        }

    def _pair(self, line: Line) -> Iterator[Line]:
        names = {name: self.id(line[name]) for name in ("question_id", "first_id", "second_id")}
        yield names | {name: line[name] for name in ("similarity", "is_distinct")}

    def _valid(self, kind: type[Any], row: Line, file: File, number: int) -> Any:
        with file.line(number):
            return kind(dataset_id=self._dataset_id, **row)


def open_curated(home: Home, location: str, settings: CuratedSettings) -> CurationBatch:
    """Return what a folder of curation holds, its files landed.

    Raises:
        SourceUnreadable: The folder is none of curation, or a file in it is damaged.
    """
    name = str(settings.dataset)
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
        return CurationBatch(dataset, parts, notes=[note])
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
    ranked = ranked_documents(name)
    for number, line in enumerate(documents.lines, start=1):
        with documents.line(number):
            described.append(ranked(line))
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
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceUnreadable(
            f"ingestion: {file.landed.shown}: the partial answer {one.partial_answer_id} lacks its "
            f"id or its documents ({short(str(error))}); nothing was loaded: {AGAIN}"
        ) from None
