"""What people say, into raw: preferences, whether an answer shows a dispute, and who won."""

import json
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import Any

import duckdb

from ingestion.answers.contracts import DisputeRow, PersonVerdictRow, PreferenceRow
from ingestion.answers.names import Names
from ingestion.answers.staging import in_chunks
from ingestion.batch import Counts, Reject, SourceFile, original_of
from ingestion.formats.base import FileRow
from ingestion.json_values import as_json
from ingestion.landing import Landed
from ingestion.oversight.human_judgements import IMPORTED, WINNER
from ingestion.questions.texts import question_of
from ingestion.raw_tables import upsert
from ingestion.reading import BrokenRecord
from ingestion.times import utc_time

DIMENSION = "dispute_awareness"
_QUESTION = "Does the answer show that people disagree about the question?"
_SWAPPED = {"a": "b", "b": "a", "tie": "tie"}
_Row = dict[str, Any]


class Judgements:
    """Makes rows of raw of what people said, each person and answer once.

    Args:
        dataset: The data set that names without one belong to; any when not given.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, shown: str, dataset: str | None
    ) -> None:
        self._connection = connection
        self._shown = shown
        self._questions = Names(connection, dataset, "question")
        self._answers = Names(connection, dataset, "answer")
        self._debates = Names(connection, dataset, "debate")
        self._preferences: list[_Row] = []
        self._labels: list[_Row] = []
        self._verdicts: list[_Row] = []
        self._seen: dict[tuple[str, ...], str] = {}

    def gather(
        self, landed: Landed, rows: Iterable[FileRow | Reject], rejects: list[Reject]
    ) -> SourceFile:
        """Take in a file's rows."""
        records = 0
        for chunk in in_chunks(rows):
            valid = [each for each in chunk if isinstance(each, FileRow)]
            broken = [each for each in chunk if isinstance(each, Reject)]
            rejects += broken
            records += len(valid) + sum(each.weight for each in broken)
            self._look_up(valid)
            for each in valid:
                try:
                    if isinstance(each.row, PreferenceRow):
                        self._prefer(each, each.row)
                    elif isinstance(each.row, DisputeRow):
                        self._label(each, each.row)
                    elif isinstance(each.row, PersonVerdictRow):
                        self._decide(each, each.row)
                except BrokenRecord as broken:
                    place, kept = each.record.place, original_of(each.record.fields)
                    rejects.append(Reject(self._shown, place, broken.field, broken.reason, kept))
        return landed.source_file(records)

    def write(self, source_file: str, now: datetime) -> dict[str, Counts]:
        """Write what was gathered; what a person says anew of the same thing is an update."""
        datasets = sorted({row["dataset_id"] for row in self._labels})
        dimensions = [
            {
                "dataset_id": dataset_id,
                "dimension": DIMENSION,
                "question": _QUESTION,
                "scale_min": 0.0,
                "scale_max": 1.0,
            }
            for dataset_id in datasets
        ]
        found = {
            "preferences": self._preferences,
            "dimensions": dimensions,
            "human_ratings": self._labels,
            "human_verdicts": self._verdicts,
        }
        return {
            table: upsert(self._connection, table, rows, source_file=source_file, now=now)
            for table, rows in found.items()
            if rows
        }

    def _look_up(self, rows: list[FileRow]) -> None:
        questions: list[str] = []
        answers: list[str] = []
        for each in rows:
            if isinstance(each.row, PreferenceRow):
                questions.append(each.row.question)
                answers += [
                    name for name in (each.row.answer_a, each.row.answer_b) if name is not None
                ]
            elif isinstance(each.row, DisputeRow):
                questions += [each.row.question] if each.row.question is not None else []
                answers += [each.row.answer] if each.row.answer is not None else []
        self._debates.look_up(
            each.row.item for each in rows if isinstance(each.row, PersonVerdictRow)
        )
        self._questions.look_up(questions)
        self._answers.look_up(answers)

    def _prefer(self, each: FileRow, row: PreferenceRow) -> None:
        question = self._questions[row.question]
        if isinstance(question, str):
            raise BrokenRecord("question", question)
        one = self._answer(question.id, row.answer_a, row.model_a, "a")
        other = self._answer(question.id, row.answer_b, row.model_b, "b")
        if one == other:
            raise BrokenRecord("answer_b", f"is the same answer as the other one, {one}")
        choice: str = row.choice
        if one > other:
            # A pair is a pair whichever was named first.
            one, other, choice = other, one, _SWAPPED[choice]
        annotator = _annotator(question.dataset_id, row.annotator)
        self._once(each, (question.id, annotator, one, other), "question, annotator and answers")
        self._preferences.append(
            {
                "dataset_id": question.dataset_id,
                "question_id": question.id,
                "annotator_id": annotator,
                "answer_a": one,
                "answer_b": other,
                "choice": choice,
                "extra": row.extra,
            }
        )

    def _label(self, each: FileRow, row: DisputeRow) -> None:
        question_id = None
        if row.question is not None:
            question = self._questions[row.question]
            if isinstance(question, str):
                raise BrokenRecord("question", question)
            question_id = question.id
        answer = self._answer(question_id, row.answer, row.model, "")
        dataset_id = answer.partition(":")[0]
        annotator = _annotator(dataset_id, row.annotator)
        self._once(each, (answer, annotator), "answer and annotator")
        self._labels.append(
            {
                "dataset_id": dataset_id,
                "item_id": answer,
                "annotator_id": annotator,
                "dimension": DIMENSION,
                "value": float(row.label),
            }
        )

    def _decide(self, each: FileRow, row: PersonVerdictRow) -> None:
        debate = self._debates[row.item]
        if isinstance(debate, str):
            raise BrokenRecord("item", debate)
        try:
            judged_at = None if row.at is None else utc_time(row.at)
        except ValueError as error:
            raise BrokenRecord("at", str(error)) from None
        person = _annotator(debate.dataset_id, row.annotator)
        self._once(each, (debate.id, person), "debate and annotator")
        # Who won a debate about a story is another question than which answer is right.
        said = {**json.loads(row.extra or "{}"), "task": WINNER}
        self._verdicts.append(
            {
                "debate_id": debate.id,
                "dataset_id": debate.dataset_id,
                "judge_id": person,
                "protocol": "debate",
                "mode": IMPORTED,
                "is_interactive": False,
                "step": 0,
                "is_final": True,
                "choice": row.winner,
                "p_pro": row.p_pro,
                "explanation": row.explanation,
                "judged_at": judged_at,
                "extra": as_json(said),
            }
        )

    def _once(self, each: FileRow, key: tuple[str, ...], said: str) -> None:
        if key in self._seen:
            raise BrokenRecord("annotator", f"duplicate key: {self._seen[key]} has the same {said}")
        self._seen[key] = each.record.place

    def _answer(
        self, question_id: str | None, name: str | None, model: str | None, side: str
    ) -> str:
        """Return the answer that is meant, by its id or by who gave it."""
        ending = f"_{side}" if side else ""
        if name is not None:
            answer = self._answers[name]
            if isinstance(answer, str):
                raise BrokenRecord(f"answer{ending}", answer)
            if question_id is not None and question_of(answer.id) != question_id:
                raise BrokenRecord(f"answer{ending}", f"{answer.id} is no answer to {question_id}")
            return answer.id
        there = self._of_model.get((str(question_id), str(model)), [])
        if len(there) != 1:
            found = f"has {len(there)} ({', '.join(there[:3])})" if there else "has none"
            raise BrokenRecord(
                f"model{ending}",
                f"expected one answer of {model} to {question_id}, which {found}; "
                f"name it by its id, in answer{ending}",
            )
        return there[0]

    @cached_property
    def _of_model(self) -> dict[tuple[str, str], list[str]]:
        rows = self._connection.execute(
            "select question_id, judge_id, list(distinct answer_id order by answer_id) "
            "from raw.answers where request_status = 'answered' group by question_id, judge_id"
        ).fetchall()
        return {(question_id, model): answers for question_id, model, answers in rows}


def _annotator(dataset_id: str, annotator: str) -> str:
    return f"{dataset_id}:rater-{annotator}"
