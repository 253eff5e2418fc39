"""Debatable questions, what models answered, and the points of view on them, as a run reads them.

A model that answers a question reads the questions file and no other. Who gave an answer is in the
answers file, and never read: no prompt could show it. The points of view (partial answers) are for
evaluators, for the one prompt with the slot `{partial_answers}`, and for simulated judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import BadItems
from inference.item_files import ItemFile
from inference.items import ItemSource, read_rows

METRICS = ("perspective_diversity", "bart_score", "sem_score", "bleu", "rouge_l")
PERSPECTIVE_DIVERSITY = METRICS[0]
# Those that take a model's weights.
LOCAL_METRICS = ("perspective_diversity", "bart_score", "sem_score")
RETRIEVALS = ("none", "vanilla", "react")
NOTHING, AT_ONCE, STEP_BY_STEP = RETRIEVALS


@dataclass(frozen=True)
class Question:
    """One debatable question to answer.

    Attributes:
        item_id: The question, its data set's name before a colon.
        split: The part of the data set it is in, such as test; None where there are none.
        documents: What was found for it, best first; empty unless an arm shows documents at once.
        documents_record: What the journal keeps of `documents`, as `Grounding.record` has it; None
            where none are shown at once.
    """

    dataset_id: str
    item_id: str
    item_hash: str
    question: str
    split: str | None
    documents: tuple[str, ...] = ()
    trusted_documents: tuple[str, ...] = ()
    documents_record: Mapping[str, Any] | None = None
    trusted_documents_record: Mapping[str, Any] | None = None

    def shown(self, way: Generation) -> tuple[str, ...]:
        """Return the documents that a way of answering shows, of those it found at once."""
        if way.retrieval == NOTHING:
            return ()
        return self.trusted_documents if way.is_trusted_only else self.documents


@dataclass(frozen=True)
class Answer:
    """What a model answered, without which model it was.

    Attributes:
        item_id: The answer: its question, an at sign, and digits of its request.
        answer: The answer's text; empty where the model said nothing.
        partial_answers: The points of view on the question, where requests are to have them.
    """

    dataset_id: str
    item_id: str
    item_hash: str | None
    question_id: str
    question: str
    answer: str
    word_count: int
    partial_answers: tuple[PartialAnswer, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it to score."""
        return not self.answer.strip()


@dataclass(frozen=True)
class PartialAnswer:
    """One point of view on a question, in a sentence and at length, with the hash of both."""

    partial_answer_id: str
    point_of_view: str
    explanation: str
    text_hash: str

    @property
    def text(self) -> str:
        """What is scored: both in one text, joined as the program released with the study does."""
        return f"{self.point_of_view}. {self.explanation}"


@dataclass(frozen=True)
class Generation:
    """One way to have questions answered, as an experiment chooses it.

    Attributes:
        temperature: The sampling temperature; None leaves it to the judge and the experiment.
        top_p: Of the likeliest tokens, how much probability may be drawn from; None likewise.
        target_tokens: How long the prompt asks the answer to be; None where it does not.
        is_trusted_only: Whether only documents of trusted sources count; None without documents.
    """

    template: str
    temperature: float | None = None
    top_p: float | None = None
    target_tokens: int | None = None
    retrieval: str = "none"
    is_trusted_only: bool | None = None

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        told = [
            f"{name} {value:g}"
            for name, value in (
                ("temperature", self.temperature),
                ("top-p", self.top_p),
                ("tokens", self.target_tokens),
            )
            if value is not None
        ]
        of_trusted = " of trusted sources" if self.is_trusted_only else ""
        return ", ".join([*told, f"retrieval {self.retrieval}{of_trusted}"])


@dataclass(frozen=True)
class Comparison:
    """How answers are compared with points of view, and whether tokens are kept."""

    metric: str
    keep_tokens: bool = False

    @property
    def words(self) -> str:
        """The metric, for people."""
        return self.metric


@dataclass(frozen=True)
class Likelihood:
    """Comparison of one point of view with one answer, by an evaluator.

    Attributes:
        status: `scored`, or why there are no numbers: `context_overflow`, `empty_context`,
            `empty_continuation`, `empty_answer` or `not_finite`.
        value: The metric, where one number is all of it.
        logprob_sum: Sum of the natural log-probabilities of the point of view's tokens.
        token_logprobs: Each token's text and log-probability, where they are kept.
    """

    partial_answer_id: str
    text_hash: str
    status: str
    value: float | None = None
    logprob_sum: float | None = None
    token_count: int | None = None
    context_token_count: int | None = None
    token_logprobs: tuple[tuple[str, float], ...] | None = None


class Compared(NamedTuple):
    """Outcome of comparing an answer: each point of view, and the answer's number of tokens."""

    likelihoods: tuple[Likelihood, ...]
    answer_token_count: int


QUESTIONS = ItemFile(
    Question,
    "questions",
    "answers: data set '{}' has no debatable questions; "
    "ingest one that has, such as 'rostrum ingest sample', or name another with --dataset",
    columns={"item_id": "question_id"},
)
ANSWERS = ItemFile(
    Answer,
    "answers",
    "answers: data set '{}' has no answers to score; let a model answer first, such as "
    "'rostrum run debatable-answers --judge ID', or import answers",
    columns={"item_id": "answer_id", "item_hash": "answer_hash"},
    blank={"answer": "", "word_count": 0},
)


def iter_questions(source: ItemSource, split: str | None = None) -> Iterator[Question]:
    """Yield the questions of a part of a data set; of all of it where none is named."""
    return (each for each in QUESTIONS.read(source) if split in (None, each.split))


def question_keys(source: ItemSource, split: str | None = None) -> list[str]:
    """Return the ids of the questions `iter_questions` yields, in its order."""
    rows = read_rows(source.dataset_id, QUESTIONS.path(source), ("question_id", "split"))
    return [row["question_id"] for row in rows if split in (None, row["split"])]


def read_partial_answers(path: Path | None, who: str) -> dict[str, tuple[PartialAnswer, ...]]:
    """Return the points of view on each question, in their order."""
    if path is None:
        raise BadItems(
            f"answers: {who} needs the points of view on each question, and this data set has no "
            "partial answers; use one that has, such as 'rostrum ingest sample'"
        )
    found: dict[str, list[tuple[int, PartialAnswer]]] = {}
    columns = ("question_id", "position", *(each.name for each in fields(PartialAnswer)))
    for row in read_rows(path.parent.name, path, columns):
        position, question_id = row.pop("position"), row.pop("question_id")
        found.setdefault(question_id, []).append((position, PartialAnswer(**row)))
    return {
        question_id: tuple(each for _, each in sorted(those, key=lambda pair: pair[0]))
        for question_id, those in found.items()
    }


def listed(partial_answers: Sequence[PartialAnswer]) -> str:
    """Return points of view as a prompt shows them: numbered, an empty line between them."""
    return "\n\n".join(
        f"{number}. {each.point_of_view}\n{each.explanation}"
        for number, each in enumerate(partial_answers, start=1)
    )
