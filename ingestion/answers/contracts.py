"""What files made elsewhere bring, row by row: scores, verdicts, answers and preferences."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic.dataclasses import dataclass

from ingestion.answers.judge_names import as_slash_form
from warehouse.records.core import (
    CONFIG,
    Amount,
    AnyText,
    Count,
    Finite,
    Name,
    SampleNumber,
    Share,
    Side,
    TokenCount,
    check_judge,
    no_bool,
)


def _as_judge(value: Any) -> Any:
    return check_judge(as_slash_form(value) if isinstance(value, str) else value)


# As any tool names it; records hold `provider/model` alone.
JudgeId = Annotated[str, BeforeValidator(_as_judge)]
Retrieval = Literal["none", "vanilla", "react"]
# How a verdict was asked for.
FACTORS = ("pro_label", "con_label", "first_side", "outcome", "reasoning", "answer_order")


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class AnswerRow:
    """What score and verdict files have in common. None means the file does not say.

    Attributes:
        item: What was judged, with or without its data set's name before it.
        judge: `provider/model`.
        template: Which prompt was used; free text.
        sample: Which repeat of the same request, from 0.
        tokens_in: Tokens of the prompt.
        tokens_out: Tokens of the reply.
        latency_s: Seconds until the reply was there.
        cost_usd: US dollars paid for it.
        at: When it was answered: ISO 8601, or seconds since 1970.
    """

    item: Name
    judge: JudgeId
    template: Name = "imported"
    sample: SampleNumber = 0
    response: AnyText | None = None
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    latency_s: Amount | None = None
    cost_usd: Amount | None = None
    at: str | float | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class ScoreRow(AnswerRow):
    """One score of a judge, as a file brings it.

    Attributes:
        dimension: What was scored.
        value: The score.
    """

    dimension: Name | None = None
    value: Finite | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class VerdictRow(AnswerRow):
    """One verdict of a judge on a debate, as a file brings it.

    Attributes:
        first_side: Which side it showed first.
        outcome: What it asked for.
        reasoning: Whether it asked for reasons.
        answer_order: In which order it named the possible answers.
        winner: Who won, whatever was asked for.
        p_pro: The probability the judge gave pro of having won.
    """

    pro_label: Name | None = None
    con_label: Name | None = None
    first_side: Side | None = None
    outcome: Literal["winner", "loser"] = "winner"
    reasoning: bool | None = None
    answer_order: Name | None = None
    winner: Literal["pro", "con", "tie"] | None = None
    p_pro: Share | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class ReplyRow(AnswerRow):
    """What a model answered to a debatable question, as a file brings it.

    `item` is the question, `judge` the model, and `response` its answer: always there, be it empty.

    Attributes:
        temperature: What it was sampled at.
        top_p: The share of probability it was sampled from.
        target_tokens: The length it was asked for.
        retrieval: How documents were looked up for it.
        is_trusted_only: Whether only documents from trusted places were.
    """

    response: AnyText
    temperature: Amount | None = None
    top_p: Share | None = None
    target_tokens: TokenCount | None = None
    retrieval: Retrieval = "none"
    is_trusted_only: bool | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class PreferenceRow:
    """Which of two answers to a question a person prefers, as a file brings it.

    Attributes:
        choice: The answer preferred, or neither.
        answer_a: One answer, by its id.
        answer_b: The other.
        model_a: Instead of its id, the model that gave the one answer to the question there is.
        model_b: The same of the other.
    """

    question: Name
    annotator: Name
    choice: Literal["a", "b", "tie"]
    answer_a: Name | None = None
    answer_b: Name | None = None
    model_a: JudgeId | None = None
    model_b: JudgeId | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class DisputeRow:
    """Whether a person finds that an answer shows the question to be disputed.

    Attributes:
        label: 1 where it does, 0 where it does not.
        answer: The answer, by its id.
        question: Instead of the answer's id, the question ...
        model: ... and the model that gave the one answer to it there is.
    """

    annotator: Name
    label: Annotated[int, BeforeValidator(no_bool), Field(ge=0, le=1)]
    answer: Name | None = None
    question: Name | None = None
    model: JudgeId | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class PersonVerdictRow:
    """Who won a debate in the eyes of one person, as a file brings it.

    Attributes:
        item: The debate.
        winner: The side that won.
        p_pro: The probability the person gave pro of having won.
        explanation: Why, in the person's words.
        at: When: ISO 8601, or seconds since 1970.
    """

    item: Name
    annotator: Name
    winner: Literal["pro", "con", "tie"]
    p_pro: Share | None = None
    explanation: AnyText | None = None
    at: str | float | None = None
    extra: AnyText | None = None
