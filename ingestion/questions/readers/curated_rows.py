"""From the lines of a curation's files to rows, by the names things have in the warehouse."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ingestion.questions.curation.batch import CurationPart
from ingestion.questions.readers.curated_files import File, Line
from warehouse.records.questions import STEPS, TASKS, CurationRule, CurationStep
from warehouse.records.tables import TABLES


class StepRows:
    """Turns lines of the steps' files into rows.

    Args:
        dataset_id: The data set.
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
        removed = Counter((line.get("unit"), line.get("rule")) for _, line in file.of("removed"))
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
