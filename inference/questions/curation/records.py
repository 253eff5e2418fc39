"""What passes from one step of curation to the next."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from inference.questions.documents import Document


@dataclass(frozen=True)
class Question:
    """A debatable question.

    Attributes:
        question_id: Its source's name, a colon, and its id there.
        question: The question.
        origin: Its source.
    """

    question_id: str
    question: str
    origin: str


@dataclass(frozen=True)
class Queries:
    """What is looked for to find documents about a question.

    Attributes:
        question_id: The question.
        queries: The search queries.
    """

    question_id: str
    queries: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """A document that was found for a question.

    Attributes:
        question_id: The question.
        position: Its place among the question's documents, from 1: the best first.
        score: How well it fits the question; comparable within one scorer only.
        document: The document.
    """

    question_id: str
    position: int
    score: float
    document: Document

    @property
    def evidence_id(self) -> str:
        """The document as one of this question's."""
        return f"{self.question_id}/{self.document.document_id}"


@dataclass(frozen=True)
class PointOfView:
    """A side from which a question can be answered.

    Attributes:
        question_id: The question.
        position: Its place among the question's points of view, from 1.
        point_of_view: One short sentence.
        document_ids: The documents it comes from.
    """

    question_id: str
    position: int
    point_of_view: str
    document_ids: tuple[str, ...]

    @property
    def partial_answer_id(self) -> str:
        """The id of the partial answer it becomes."""
        return f"{self.question_id}/p{self.position}"


@dataclass(frozen=True)
class PartialAnswer:
    """A question's answer from one point of view.

    Attributes:
        partial_answer_id: The question's id, `/p` and the position.
        question_id: The question.
        position: Its place among the question's points of view, from 1.
        point_of_view: One short sentence.
        explanation: The point of view at length.
        document_ids: The documents both come from.
        word_count: Words of the explanation.
    """

    partial_answer_id: str
    question_id: str
    position: int
    point_of_view: str
    explanation: str
    document_ids: tuple[str, ...]
    word_count: int

    @property
    def text_hash(self) -> str:
        """The SHA-256 of what it says: the point of view, an empty line, the explanation."""
        text = f"{self.point_of_view}\n\n{self.explanation}"
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
