"""One load of a curated data set: its curation, its questions and its documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingestion.batch import Change, Counts, Loadable, Rows, SourceFile, Step
from ingestion.errors import UnknownSource
from ingestion.questions.batch import QuestionBatch
from ingestion.raw_tables import registered, remove_rows
from warehouse.records.core import Dataset

TABLES = (
    "curation_steps",
    "curation_rules",
    "curation_removals",
    "curation_annotations",
    "curation_chunks",
    "curation_pairs",
)
_OF_QUESTIONS = ("partial_answers", "documents", "questions")


@dataclass(frozen=True)
class CurationPart:
    """What one step's file brings.

    Attributes:
        rows: Rows by raw table.
    """

    file: SourceFile
    rows: Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class CurationBatch(Loadable):
    """One load of one curated data set.

    Afterwards the data set's curation is that of this load and no other, and so are its questions
    where the batch has any; without, those of an earlier load stay.

    Attributes:
        parts: What the files of its steps bring; the last are the steps that wait, of no file of
            their own.
        questions: Its questions with all that belongs to them; None while people's answers are
            missing.
    """

    dataset: Dataset
    parts: Sequence[CurationPart]
    questions: QuestionBatch | None = None
    files: Sequence[SourceFile] = field(init=False)

    def __post_init__(self) -> None:
        asked = self.questions.files if self.questions else ()
        object.__setattr__(self, "files", [*(part.file for part in self.parts[:-1]), *asked])

    def checked(self, connection: duckdb.DuckDBPyConnection) -> CurationBatch:
        """Refuse a name that is another data set's: its questions would be taken for removed ones.

        Raises:
            UnknownSource: Its name is that of a data set from elsewhere, which stays as it is.
        """
        dataset_id = self.dataset.dataset_id
        foreign = connection.execute(
            "select 1 from raw.datasets where dataset_id = ? and not exists "
            "(from raw.curation_steps where dataset_id = ?)",
            [dataset_id, dataset_id],
        ).fetchone()
        if foreign:
            raise UnknownSource(
                f"ingestion: '{dataset_id}' is a data set from elsewhere, and stays as it is; give "
                "the curated one a name of its own with --dataset NAME"
            )
        return self

    def changes(self) -> Iterable[Rows | Step]:
        """Return the curation, and the questions that it has left."""
        named = self.parts[0] if self.questions is None else self.questions.parts[0]
        yield Rows("datasets", [self.dataset], named.file.label)
        for table in TABLES:
            everything = [row for part in self.parts for row in part.rows.get(table, ())]
            for place, part in enumerate(self.parts):
                rows = part.rows.get(table, ())
                within = None if place else "datasets"
                yield Rows(table, rows, part.file.label, within, kept=everything)
        if self.questions is not None:
            for table in _OF_QUESTIONS:
                yield Step(table, self._removal_from(table, self.questions))
            yield from self.questions.part_changes()

    @staticmethod
    def _removal_from(table: str, questions: QuestionBatch) -> Change:
        """Return what removes questions, with all that is theirs, that curation has removed."""
        left = [question.question_id for part in questions.parts for question in part.questions]

        def remove(
            connection: duckdb.DuckDBPyConnection, source_file: str, now: datetime
        ) -> Counts:
            del source_file, now
            kept = pa.table({"id": pa.array(left, pa.string())})
            with registered(connection, "kept", kept):
                gone = remove_rows(
                    connection,
                    table,
                    "dataset_id = ? and question_id not in (select id from kept)",
                    questions.dataset.dataset_id,
                )
            return Counts(updated=gone)

        return remove
