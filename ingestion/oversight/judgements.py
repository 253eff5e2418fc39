"""Imported judgements of people: preferences, labels of disputes, and verdicts on debates."""

import json
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import Any

import duckdb

from ingestion.answers.contracts import DisputeRow, PersonVerdictRow, PreferenceRow
from ingestion.answers.names import Known, Names
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
_TABLES = ("preferences", "dimensions", "human_ratings", "human_verdicts")


class Judgements:
    """Rows of raw tables from files of people's judgements, one for each person and item.

    Args:
        dataset: The data set of names that do not begin with one; any when not given.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, shown: str, dataset: str | None
    ) -> None:
        self._connection = connection
        self._shown = shown
        self._questions = Names(connection, dataset, "question")
        self._answers = Names(connection, dataset, "answer")
        self._debates = Names(connection, dataset, "debate")
        self._rows: dict[str, list[dict[str, Any]]] = {table: [] for table in _TABLES}
        self._seen: dict[tuple[str, ...], str] = {}

    def gather(
        self, landed: Landed, rows: Iterable[FileRow | Reject], rejects: list[Reject]
    ) -> SourceFile:
        """Add a file's rows, and reject those that name nothing or repeat a judgement."""
        records = 0
        for chunk in in_chunks(rows):
            valid = [each for each in chunk if isinstance(each, FileRow)]
            broken = [each for each in chunk if isinstance(each, Reject)]
            rejects += broken
            records += len(valid) + sum(each.weight for each in broken)
            for names, columns in (
                (self._questions, ("question",)),
                (self._answers, ("answer", "answer_a", "answer_b")),
                (self._debates, ("item",)),
            ):
                cells = (getattr(each.row, name, None) for each in valid for name in columns)
                names.look_up(cell for cell in cells if cell is not None)
            for each in valid:
                place = each.record.place
                try:
                    if isinstance(each.row, PreferenceRow):
                        self._add_preference(each.row, place)
                    elif isinstance(each.row, DisputeRow):
                        self._add_label(each.row, place)
                    elif isinstance(each.row, PersonVerdictRow):
                        self._add_verdict(each.row, place)
                except BrokenRecord as fault:
                    original = original_of(each.record.fields)
                    rejects.append(Reject(self._shown, place, fault.field, fault.reason, original))
        return landed.source_file(records)

    def write(self, source_file: str, now: datetime) -> dict[str, Counts]:
        """Write the rows; another judgement of the same thing by the same person is an update."""
        self._rows["dimensions"] = [
            {
                "dataset_id": dataset_id,
                "dimension": DIMENSION,
                "question": _QUESTION,
                "scale_min": 0.0,
                "scale_max": 1.0,
            }
            for dataset_id in sorted({row["dataset_id"] for row in self._rows["human_ratings"]})
        ]
        return {
            table: upsert(self._connection, table, rows, source_file=source_file, now=now)
            for table, rows in self._rows.items()
            if rows
        }

    def _add_preference(self, row: PreferenceRow, place: str) -> None:
        question = _known(self._questions, row.question, "question")
        first = self._answer(question.id, row.answer_a, row.model_a, "_a")
        second = self._answer(question.id, row.answer_b, row.model_b, "_b")
        if first == second:
            raise BrokenRecord("answer_b", f"is the same answer as the other one, {first}")
        annotator = f"{question.dataset_id}:rater-{row.annotator}"
        # A pair is a pair whichever was named first.
        answer_a, answer_b = sorted((first, second))
        key = (question.id, annotator, answer_a, answer_b)
        self._refuse_repeated(key, place, "question, annotator and answers")
        self._rows["preferences"].append(
            {
                "dataset_id": question.dataset_id,
                "question_id": question.id,
                "annotator_id": annotator,
                "answer_a": answer_a,
                "answer_b": answer_b,
                "choice": row.choice if answer_a == first else _SWAPPED[row.choice],
                "extra": row.extra,
            }
        )

    def _add_label(self, row: DisputeRow, place: str) -> None:
        question_id = None
        if row.question is not None:
            question_id = _known(self._questions, row.question, "question").id
        answer = self._answer(question_id, row.answer, row.model, "")
        dataset_id = answer.partition(":")[0]
        annotator = f"{dataset_id}:rater-{row.annotator}"
        self._refuse_repeated((answer, annotator), place, "answer and annotator")
        self._rows["human_ratings"].append(
            {
                "dataset_id": dataset_id,
                "item_id": answer,
                "annotator_id": annotator,
                "dimension": DIMENSION,
                "value": float(row.label),
            }
        )

    def _add_verdict(self, row: PersonVerdictRow, place: str) -> None:
        debate = _known(self._debates, row.item, "item")
        try:
            judged_at = None if row.at is None else utc_time(row.at)
        except ValueError as error:
            raise BrokenRecord("at", str(error)) from None
        annotator = f"{debate.dataset_id}:rater-{row.annotator}"
        self._refuse_repeated((debate.id, annotator), place, "debate and annotator")
        self._rows["human_verdicts"].append(
            {
                "debate_id": debate.id,
                "dataset_id": debate.dataset_id,
                "judge_id": annotator,
                "protocol": "debate",
                "mode": IMPORTED,
                "is_interactive": False,
                "step": 0,
                "is_final": True,
                "choice": row.winner,
                "p_pro": row.p_pro,
                "explanation": row.explanation,
                "judged_at": judged_at,
                # Who won a debate about a story is another question than which answer is right.
                "extra": as_json({**json.loads(row.extra or "{}"), "task": WINNER}),
            }
        )

    def _refuse_repeated(self, key: tuple[str, ...], place: str, named: str) -> None:
        if earlier := self._seen.get(key):
            raise BrokenRecord("annotator", f"duplicate key: {earlier} has the same {named}")
        self._seen[key] = place

    def _answer(
        self, question_id: str | None, name: str | None, model: str | None, side: str
    ) -> str:
        """Return the id of an answer that is named by its id or by the model that gave it."""
        if name is not None:
            answer = _known(self._answers, name, f"answer{side}")
            if question_id is not None and question_of(answer.id) != question_id:
                raise BrokenRecord(f"answer{side}", f"{answer.id} is no answer to {question_id}")
            return answer.id
        answers = self._answers_of_models.get((str(question_id), str(model)), [])
        if len(answers) != 1:
            found = f"has {len(answers)} ({', '.join(answers[:3])})" if answers else "has none"
            raise BrokenRecord(
                f"model{side}",
                f"expected one answer of {model} to {question_id}, which {found}; "
                f"name it by its id, in answer{side}",
            )
        return answers[0]

    @cached_property
    def _answers_of_models(self) -> dict[tuple[str, str], list[str]]:
        rows = self._connection.execute(
            "select question_id, judge_id, list(distinct answer_id order by answer_id) "
            "from raw.answers where request_status = 'answered' group by question_id, judge_id"
        ).fetchall()
        return {(question_id, model): answers for question_id, model, answers in rows}


def _known(names: Names, name: str, field: str) -> Known:
    """Return the item that a name means, or reject the record."""
    found = names[name]
    if isinstance(found, str):
        raise BrokenRecord(field, found)
    return found
