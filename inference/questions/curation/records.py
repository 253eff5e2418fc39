"""What passes from one step of curation to the next, and what a step removed, and why.

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
    """Why something was removed, and the id of what it gave way to, if anything took its place."""

    detail: str
    because_of: str | None = None

    @classmethod
    def of_reply(cls, reply: Answered, problem: str | None) -> Reason:
        """Return why what depended on a reply is removed."""
        return cls(reply.failure or f"{problem}: {reply.text}")


@dataclass(frozen=True)
class Removed:
    """Something a rule removed, with its `Reason`."""

    item_id: str
    rule: str
    detail: str
    because_of: str | None = None


@dataclass(frozen=True)
class Rule:
    """One line of the funnel: what came to a rule of a step, and how much of it it removed."""

    rule_order: int
    rule: str
    n_before: int
    n_removed: int


@dataclass(frozen=True)
class Step(Generic[T]):
    """What a step did.

    Attributes:
        name: The step.
        unit: What it counts: `question`, `document`, `point_of_view`, `partial_answer`.
        kept: What is left, in the order in which it came.
        removed: What is not, in the order of the rules.
        rules: The funnel.
        notes: Counts of what was kept although something is to be said about it.
    """

    name: str
    unit: str
    kept: tuple[T, ...]
    removed: tuple[Removed, ...] = ()
    rules: tuple[Rule, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)


# Says why an item is removed; None where it stays.
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
        reasons = [check(item) for item in kept]
        gone = [
            Removed(id_of(item), rule, *reason)
            for item, reason in zip(kept, reasons, strict=True)
            if reason is not None
        ]
        funnel.append(Rule(order, rule, len(kept), len(gone)))
        kept = [item for item, reason in zip(kept, reasons, strict=True) if reason is None]
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
