"""The records of debatable questions: the question, the perspectives on it, and the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from ingestion.batch import Reject, SourceFile
from ingestion.contracts import AnyText, Dataset, DatasetId, KeyOfDataset, Name, Prose

_CONFIG = ConfigDict(extra="forbid")
Position = Annotated[int, Field(ge=1, lt=2**31)]


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Question:
    """One question people disagree about.

    Attributes:
        question_id: The data set's name, a colon, and the source's own id.
        dataset_id: The data set.
        question: The question, exactly as in the source.
        split: The part of the data set it belongs to.
        origin: The collection it was taken from.
        domain: What it is about.
        extra: The source's other fields, as a JSON object; None when there are none.
    """

    question_id: KeyOfDataset
    dataset_id: DatasetId
    question: Prose
    split: Name | None = None
    origin: Name | None = None
    domain: Name | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class PartialAnswer:
    """One perspective that an answer to the question should show.

    Attributes:
        partial_answer_id: The question's id, `/p`, and the position.
        dataset_id: The data set.
        question_id: The question.
        position: Its place among the question's perspectives, from 1.
        point_of_view: The perspective in a sentence.
        explanation: The reasons given for it.
        document_ids: The documents it was drawn from; None where the source does not say.
        extra: The source's other fields, as a JSON object; None when there are none.
    """

    partial_answer_id: KeyOfDataset
    dataset_id: DatasetId
    question_id: KeyOfDataset
    position: Position
    point_of_view: Prose
    explanation: Prose
    document_ids: tuple[KeyOfDataset, ...] | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Document:
    """One document that perspectives were drawn from, or that a model may look something up in.

    Attributes:
        document_id: Unique within the data set, whose name and a colon it begins with.
        dataset_id: The data set.
        text: The text, exactly as in the source.
        question_id: The question it was found for; None where it is nobody's.
        position: Its rank among the question's documents, from 1.
        url: Where it was found.
        title: What it is called.
        extra: The source's other fields, as a JSON object; None when there are none.
    """

    document_id: KeyOfDataset
    dataset_id: DatasetId
    text: Prose
    question_id: KeyOfDataset | None = None
    position: Position | None = None
    url: AnyText | None = None
    title: AnyText | None = None
    extra: AnyText | None = None


@plain_dataclass(frozen=True)
class QuestionPart:
    """What one file of a load brings.

    Attributes:
        file: The file.
        questions: Its questions, each id once.
        partial_answers: All perspectives on these questions.
        documents: All documents of the questions they name.
    """

    file: SourceFile
    questions: Sequence[Question] = ()
    partial_answers: Sequence[PartialAnswer] = ()
    documents: Sequence[Document] = ()


@plain_dataclass(frozen=True)
class QuestionBatch:
    """One load of one data set of questions.

    Attributes:
        dataset: The data set.
        parts: What its files bring, each id in one of them only.
        rejects: What broke the contract.
        notes: What a user should know about how the source was read.
    """

    dataset: Dataset
    parts: Sequence[QuestionPart]
    rejects: Sequence[Reject] = ()
    notes: Sequence[str] = field(default=())
