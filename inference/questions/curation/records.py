"""Records of curation: what the steps make, and what their rules removed, with the reason.

A step applies its rules in a fixed order, and what a rule removes the next one does not see. So the
counts of the rules add up: what a rule leaves is what the next begins with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from inference.questions.documents import Document
from inference.steps.asking import Answered

T = TypeVar("T")


class Reason(NamedTuple):
    """Reason of a removal, and the id of the item that is kept instead, if there is one."""

    detail: str
    because_of: str | None = None

    @classmethod
    def of_reply(cls, reply: Answered, problem: str | None) -> Reason:
        """Return the reason to remove what depended on a reply."""
        return cls(reply.failure or f"{problem}: {reply.text}")


@dataclass(frozen=True)
class Removed:
    """An item that a rule removed, with its `Reason`."""

    item_id: str
    rule: str
    detail: str
    because_of: str | None = None


@dataclass(frozen=True)
class Rule:
    """One line of the funnel: the items that reached a rule, and those that it removed."""

    rule_order: int
    rule: str
    n_before: int
    n_removed: int


@dataclass(frozen=True)
class Step(Generic[T]):
    """Funnel of a step.

    Attributes:
        unit: What it counts: `question`, `page`, `document`, `point_of_view`, `partial_answer`.
        kept: The items that are left, in their order.
        removed: The others, in the order of the rules.
        notes: Counts of kept items with a peculiarity.
    """

    name: str
    unit: str
    kept: tuple[T, ...]
    removed: tuple[Removed, ...] = ()
    rules: tuple[Rule, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)


# Returns the reason to remove an item; None where it stays.
Check = Callable[[T], Reason | None]


def sift(
    name: str,
    unit: str,
    items: Iterable[T],
    id_of: Callable[[T], str],
    rules: Sequence[tuple[str, Check[T]]],
    notes: Mapping[str, int] | None = None,
) -> Step[T]:
    """Apply rules in their order."""
    kept, removed, funnel = list(items), list[Removed](), list[Rule]()
    for order, (rule, check) in enumerate(rules, start=1):
        reasons = [(item, check(item)) for item in kept]
        gone = [Removed(id_of(item), rule, *reason) for item, reason in reasons if reason]
        funnel.append(Rule(order, rule, len(kept), len(gone)))
        kept = [item for item, reason in reasons if reason is None]
        removed += gone
    return Step(name, unit, tuple(kept), tuple(removed), tuple(funnel), dict(notes or {}))


@dataclass(frozen=True)
class Question:
    """A debatable question; its id is its source, a colon, and its id there."""

    question_id: str
    question: str
    origin: str


@dataclass(frozen=True)
class Queries:
    """Search queries for documents about a question."""

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
        """Id of the document as one of this question's."""
        return f"{self.question_id}/{self.document.document_id}"


@dataclass(frozen=True)
class PointOfView:
    """A side from which a question can be answered, in a sentence, with its documents."""

    question_id: str
    position: int
    point_of_view: str
    document_ids: tuple[str, ...]

    @property
    def partial_answer_id(self) -> str:
        """Id of the partial answer it becomes."""
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
        """SHA-256 of the point of view, an empty line, and the explanation."""
        text = f"{self.point_of_view}\n\n{self.explanation}"
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True)
class ExaminedChunk:
    """A chunk of a document, as `warehouse.records.questions.CurationChunk` has it.

    Only the five chunks nearest to the question have a text and a nearest point of view.
    """

    chunk_id: str
    question_id: str
    document_id: str
    position: int
    similarity: float
    chunk_rank: int
    text: str | None = None
    nearest_partial_answer_id: str | None = None
    nearest_similarity: float | None = None
    is_covered: bool | None = None


@dataclass(frozen=True)
class ExaminedPair:
    """Two points of view of a question, as `warehouse.records.questions.CurationPair` has them."""

    question_id: str
    first_id: str
    second_id: str
    similarity: float
    is_distinct: bool


@dataclass(frozen=True)
class Annotation:
    """Judgement of one annotator on one partial answer.

    Attributes:
        is_grounded: Whether it follows from the documents.
        is_addressing: Whether it answers the question from some side.
        is_ethical: Whether it keeps to morals and human ethics.
        text_hash: Hash of the annotated text; None where the file does not have it.
    """

    partial_answer_id: str
    annotator_id: str
    is_grounded: bool
    is_addressing: bool
    is_ethical: bool
    text_hash: str | None = None

    @property
    def has_fault(self) -> bool:
        """True where the annotator said no to anything."""
        return not (self.is_grounded and self.is_addressing and self.is_ethical)
