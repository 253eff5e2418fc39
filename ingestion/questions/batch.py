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
# Where a load does not say what a perspective was drawn from, what is known stays.
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
    """What one file of a load brings.

    Attributes:
        questions: Its questions, each id once.
        partial_answers: All perspectives on these questions.
        documents: All documents of the questions they name.
    """

    file: SourceFile
    questions: Sequence[Question] = ()
    partial_answers: Sequence[PartialAnswer] = ()
    documents: Sequence[Document] = ()


@dataclass(frozen=True)
class QuestionBatch(Loadable):
    """One load of one data set of questions.

    A question that is there with another text is an update and gets a new hash. Its perspectives
    are those of this load and no others, and so are its documents where the load brings any. What
    perspectives were drawn from stays known where the load does not say it. Questions that are
    there and not in the batch stay.

    Attributes:
        parts: What its files bring, each id in one of them only.
    """

    dataset: Dataset
    parts: Sequence[QuestionPart]
    files: Sequence[SourceFile] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", [part.file for part in self.parts])

    def checked(self, connection: duckdb.DuckDBPyConnection) -> QuestionBatch:
        """Reject questions whose id is another question's in another split that is loaded.

        Splits may number their questions each from 1. An answer names the number alone, so one
        question's answers would count as the other's.
        """
        known = {
            identity: (question, split)
            for identity, question, split in connection.execute(
                "select question_id, question, split from raw.questions where dataset_id = ?",
                [self.dataset.dataset_id],
            ).fetchall()
        }
        others: set[str] = set()
        rejects = list(self.rejects)
        for part in self.parts:
            for question in part.questions:
                text, split = known.get(question.question_id, (question.question, None))
                if text == question.question or split == question.split:
                    continue
                reason = another_question(question, f"split {split!r}, which is loaded")
                others.add(question.question_id)
                place, original = f"question {question.question_id}", original_of(asdict(question))
                rejects.append(Reject(part.file.shown, place, "id", reason, original))
        if not others:
            return self
        parts = [
            replace(
                part,
                questions=[each for each in part.questions if each.question_id not in others],
                partial_answers=[
                    each for each in part.partial_answers if each.question_id not in others
                ],
                documents=[each for each in part.documents if each.question_id not in others],
            )
            for part in self.parts
        ]
        return replace(self, parts=parts, rejects=rejects)

    def changes(self) -> Iterable[Rows | Step]:
        """Return the questions of each file, with their perspectives and documents."""
        yield Rows("datasets", [self.dataset])
        yield from self.part_changes()

    def part_changes(self) -> Iterable[Rows]:
        """Return the same without the data set's own row."""
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
    """Return what makes a document of each line, in their order within its question."""
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
    """Return why a question cannot be loaded whose id is another question's.

    Args:
        where: Where the other one is.
    """
    name = f"{question.dataset_id}-{question.split or 'other'}"
    return (
        f"duplicate id: {question.question_id} is another question in {where}; where splits count "
        f"each for itself, load this one into a data set of its own, with --set dataset={name}"
    )
