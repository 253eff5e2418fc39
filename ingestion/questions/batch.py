"""One load of a data set of debatable questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import duckdb

from ingestion.batch import Loadable, Reject, Rows, SourceFile, Step, original_of
from ingestion.questions.texts import PERSPECTIVE_HASH, QUESTION_HASH
from warehouse.records.core import Dataset
from warehouse.records.questions import Document, PartialAnswer, Question

_HASHED_QUESTIONS = f"select *, {QUESTION_HASH} as item_hash from {{arrived}}"
# Documents behind a perspective stay where the load has none.
_HASHED_PERSPECTIVES = f"""
    with hashed as (select *, {PERSPECTIVE_HASH} as text_hash from {{arrived}})

    select hashed.* replace (coalesce(hashed.document_ids, known.document_ids) as document_ids)
    from hashed
    left join raw.partial_answers as known
        on hashed.partial_answer_id = known.partial_answer_id
        and hashed.text_hash = known.text_hash
"""


@dataclass(frozen=True)
class QuestionPart:
    """Questions of one file with all their perspectives, and all documents of the questions."""

    file: SourceFile
    questions: Sequence[Question] = ()
    partial_answers: Sequence[PartialAnswer] = ()
    documents: Sequence[Document] = ()


@dataclass(frozen=True)
class QuestionBatch(Loadable):
    """One load of a data set of questions, each id in one part only.

    A question with a new text is an update and gets a new hash. Its perspectives are replaced by
    those of the load, and so are its documents where the load has any. The documents behind a
    perspective stay where the load has none. Loaded questions that are not in the batch stay.
    """

    dataset: Dataset
    parts: Sequence[QuestionPart]
    files: Sequence[SourceFile] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", [part.file for part in self.parts])

    def checked(self, connection: duckdb.DuckDBPyConnection) -> QuestionBatch:
        """Reject questions with the id of another question in a loaded split.

        Splits may each number their questions from 1. An answer has the number alone, so answers
        to one question would count for the other.
        """
        loaded = {
            name: (question, split)
            for name, question, split in connection.execute(
                "select question_id, question, split from raw.questions where dataset_id = ?",
                [self.dataset.dataset_id],
            ).fetchall()
        }
        foreign: set[str] = set()
        rejects = list(self.rejects)
        for part in self.parts:
            for question in part.questions:
                name = question.question_id
                text, split = loaded.get(name, (question.question, None))
                if text != question.question and split != question.split:
                    foreign.add(name)
                    reason = another_question(question, f"split {split!r}, which is loaded")
                    original = original_of(asdict(question))
                    reject = Reject(part.file.shown, f"question {name}", "id", reason, original)
                    rejects.append(reject)
        parts = [
            QuestionPart(
                part.file,
                [each for each in part.questions if each.question_id not in foreign],
                [each for each in part.partial_answers if each.question_id not in foreign],
                [each for each in part.documents if each.question_id not in foreign],
            )
            for part in self.parts
        ]
        return replace(self, parts=parts, rejects=rejects) if foreign else self

    def changes(self) -> Iterable[Rows | Step]:
        """Return the data set, then the questions of each file."""
        yield Rows("datasets", [self.dataset])
        yield from self.part_changes()

    def part_changes(self) -> Iterable[Rows]:
        """Return the questions of each file, with their perspectives and documents."""
        for part in self.parts:
            label = part.file.label
            yield Rows("questions", part.questions, label, staging=_HASHED_QUESTIONS)
            yield Rows(
                "partial_answers",
                part.partial_answers,
                label,
                within="questions",
                staging=_HASHED_PERSPECTIVES,
            )
            yield Rows("documents", part.documents, label, within="documents", by="question_id")


def ranked_documents(dataset_id: str) -> Callable[[Mapping[str, Any]], Document]:
    """Return a function that makes documents of lines, in their order within each question."""
    ranks: Counter[Any] = Counter()

    def ranked(line: Mapping[str, Any]) -> Document:
        ranks[line["question"]] += 1
        return Document(
            document_id=f"{dataset_id}:{line['id']}",
            dataset_id=dataset_id,
            text=line["text"],
            question_id=f"{dataset_id}:{line['question']}",
            position=ranks[line["question"]],
            url=line["url"],
            title=line["title"],
        )

    return ranked


def another_question(question: Question, where: str) -> str:
    """Return the reason to reject a question whose id another question has."""
    name = f"{question.dataset_id}-{question.split or 'other'}"
    return (
        f"duplicate id: {question.question_id} is another question in {where}; where splits count "
        f"each for itself, load this one into a data set of its own, with --dataset {name}"
    )
