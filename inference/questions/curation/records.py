"""What passes from one step of curation to the next."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from inference.questions.documents import Document


@dataclass(frozen=True)
class Question:
    """A debatable question; its id is its source, a colon, and its id there."""

    question_id: str
    question: str
    origin: str


@dataclass(frozen=True)
class Queries:
    """What is looked for to find documents about a question."""

    question_id: str
    queries: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """A document found for a question, the best at position 1; scores are of one scorer."""

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
    """A side from which a question can be answered, in a sentence, and where it comes from."""

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
    """An answer from one point of view; its id is the question's, `/p` and the position."""

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
