"""The records of stories, and of questions about them with a right and a tempting wrong answer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from ingestion.batch import Reject, SourceFile
from ingestion.contracts import (
    Amount,
    AnyText,
    Dataset,
    DatasetId,
    KeyOfDataset,
    Name,
    Prose,
    Share,
)
from ingestion.debates.contracts import FilterRule, Removal

_CONFIG = ConfigDict(extra="forbid")
AnswerIndex = Annotated[int, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class Story:
    """One text that debaters read and judges do not.

    Attributes:
        story_id: The data set's name, a colon, and the source's own id.
        dataset_id: The data set.
        text: The text, exactly as in the source.
        title: What it is called.
        author: Who wrote it.
        source: The collection it was taken from.
        url: Where it can be read.
        year: When it was published.
        licence: What the source says of its licence.
        topic: What it is about.
        extra: The source's other fields, as a JSON object.
    """

    story_id: KeyOfDataset
    dataset_id: DatasetId
    text: Prose
    title: AnyText | None = None
    author: AnyText | None = None
    source: AnyText | None = None
    url: AnyText | None = None
    year: int | None = None
    licence: AnyText | None = None
    topic: AnyText | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class ReadingQuestion:
    """One question about a story, two of its answers, and how hard people found it.

    Attributes:
        question_id: The data set's name, a colon, and the source's own id.
        dataset_id: The data set.
        story_id: The story.
        question: What is asked.
        answer_0: One answer; which is first is drawn from the question's id alone.
        answer_1: The other.
        right_answer: Which of them is right; None where the source withholds it.
        options: All options of the source, as a JSON list; None where there are no others.
        is_best_distractor: Whether the wrong answer is the one people found most tempting.
        split: The part of the data set.
        is_difficult: As the source says.
        answerability: Mean of what untimed readers say, 1 (answerable) to 3.
        untimed_accuracy: Share of untimed readers who are right.
        speed_accuracy: Share of readers in a hurry who are right.
        context_required: Mean of what untimed readers say of how much one must read, 1 to 4.
        removal: The rule that keeps it from being debated; None when it is kept.
        extra: The source's other fields, as a JSON object.
    """

    question_id: KeyOfDataset
    dataset_id: DatasetId
    story_id: KeyOfDataset
    question: Prose
    answer_0: Prose
    answer_1: Prose
    right_answer: AnswerIndex | None = None
    options: AnyText | None = None
    is_best_distractor: bool | None = None
    split: Name | None = None
    is_difficult: bool | None = None
    answerability: Amount | None = None
    untimed_accuracy: Share | None = None
    speed_accuracy: Share | None = None
    context_required: Amount | None = None
    removal: Removal | None = None
    extra: AnyText | None = None


@plain_dataclass(frozen=True)
class ReadingBatch:
    """One load of one data set of stories and questions.

    Attributes:
        dataset: The data set.
        files: The files it comes from; the first is what rows name as their file.
        stories: The stories, each id once.
        questions: The questions, each id once.
        rules: The rules that remove questions, in order.
        rejects: What broke the contract.
        notes: What a user should know about how the source was read.
    """

    dataset: Dataset
    files: Sequence[SourceFile]
    stories: Sequence[Story]
    questions: Sequence[ReadingQuestion]
    rules: Sequence[FilterRule] = ()
    rejects: Sequence[Reject] = ()
    notes: Sequence[str] = field(default=())


def in_drawn_order(question_id: str, right: str, wrong: str) -> tuple[str, str, int]:
    """Return answer 0, answer 1, and which of them is right.

    The order is drawn from the question's id alone, so that it is the same in every load and the
    right answer is the first in about half of all questions.

    Args:
        question_id: The question, with its data set's name.
        right: The right answer.
        wrong: The other.
    """
    place = hashlib.sha256(question_id.encode()).digest()[-1] & 1
    return (right, wrong, 0) if place == 0 else (wrong, right, 1)
