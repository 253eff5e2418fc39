"""The records of stories, and of questions about them with a right and a tempting wrong answer."""

from dataclasses import dataclass as plain_dataclass
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from warehouse.records.answers import OfRequest, Reply, Request
from warehouse.records.core import (
    CONFIG,
    Amount,
    AnyText,
    DatasetId,
    Int,
    KeyOfDataset,
    Name,
    Prose,
    Removal,
    Share,
)

AnswerIndex = Annotated[int, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class Story:
    """One text that debaters read and judges do not.

    Attributes:
        story_id: The data set's name, a colon, and the source's own id.
    """

    story_id: KeyOfDataset
    dataset_id: DatasetId
    text: Prose
    title: AnyText | None = None
    author: AnyText | None = None
    source: AnyText | None = None
    url: AnyText | None = None
    year: Int | None = None
    licence: AnyText | None = None
    topic: AnyText | None = None
    extra: AnyText | None = None

    @property
    def word_count(self) -> int:
        """Words of the text."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class ReadingQuestion:
    """One question about a story, two of its answers, and how hard people found it.

    Attributes:
        question_id: The data set's name, a colon, and the source's own id.
        answer_0: One answer; which is first is drawn from the question's id alone.
        answer_1: The other.
        right_answer: Which of them is right; None where the source withholds it.
        options: All options of the source, as a JSON list; None where there are no others.
        is_best_distractor: Whether the wrong answer is the one people found most tempting.
        answerability: Mean of what untimed readers say, 1 (answerable) to 3.
        untimed_accuracy: Share of untimed readers who are right.
        speed_accuracy: Share of readers in a hurry who are right.
        context_required: Mean of what untimed readers say of how much one must read, 1 to 4.
        removal: The rule that keeps it from being debated; None when it is kept.
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

    @property
    def removal_rule(self) -> str | None:
        """The rule that keeps it from being debated."""
        return self.removal.rule if self.removal else None

    @property
    def removal_reason(self) -> str | None:
        """How it breaks that rule."""
        return self.removal.reason if self.removal else None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class OversightTranscript(Request):
    """One debate or consultancy of models about a question, as it was written."""

    transcript_id: str
    question_id: str
    protocol: str
    turn_order: str
    is_interactive: bool
    round_count: Int
    argued_answer: Int
    opponent_id: str | None
    asker_id: str | None
    word_limit: Int | None
    best_of: Int
    preference_judge_id: str | None
    refine_count: Int
    tournament: str | None
    tournament_round: Int | None
    status: str
    reason: str | None
    transcript_hash: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class OversightTurn(OfRequest):
    """One text written for a turn, chosen or discarded."""

    transcript_id: str
    turn: Int
    round: Int
    speaker: str
    argued_answer: Int | None
    model_id: str | None
    candidate: Int
    is_chosen: bool
    text: str
    shown_text: str
    word_count: Int
    rejected_count: Int
    is_truncated: bool
    is_concession: bool | None
    argues_other_side: bool | None
    is_malformed: bool | None
    preference: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    extra: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class OversightQuote(OfRequest):
    """One quote of the story in a text, and where the story has it."""

    transcript_id: str
    turn: Int
    candidate: Int
    position: Int
    quote: str
    is_verified: bool
    similarity: float | None
    story_start: Int | None
    story_end: Int | None
    written_as: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class OversightJudgement(Reply):
    """Which answer to a question a judge found right, and how likely."""

    question_id: str
    transcript_id: str | None
    protocol: str
    step: Int | None
    is_final: bool
    answer_order: str
    probe: str
    probed_answer: Int | None
    asked_for: str
    p_answer_0: float | None
    choice: Int | None
