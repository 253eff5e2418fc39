"""Rows of files of answers as typed records: what judges answered and what people decided."""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from inference.oversight.judging import UNARGUED
from inference.parliamentary.items import NAMED_ORDERS, SHUFFLED
from inference.parliamentary.ruling_lines import place_of
from ingestion.answers.judge_names import as_slash_form
from ingestion.answers.names import What
from warehouse.records.bp import HOUSES, ROLES, SCORE_MAX, SCORE_MIN
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
from warehouse.records.oversight import AnswerIndex
from warehouse.records.strict_json import strict_json

# The factor of an imported ruling that its file does not give.
UNKNOWN = "unknown"
_CONFIG = ConfigDict(extra="forbid")


# A file has few judges and many rows.
@lru_cache
def _named(name: str) -> Any:
    return check_judge(as_slash_form(name))


def _judge(value: Any) -> Any:
    return _named(value) if isinstance(value, str) else check_judge(value)


# As any tool names it; records hold `provider/model` alone.
JudgeId = Annotated[str, BeforeValidator(_judge)]


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class AnswerRow:
    """One answer of a judge: columns that all files of answers have. None is an absent column.

    Attributes:
        item: With or without its data set's name before it.
        template: Name of the prompt; free text.
        sample: Number of the repeat of one request, from 0.
        at: Time of the answer: ISO 8601, or seconds since 1970.
    """

    # The `item_kind` of its answer line.
    item_kind: ClassVar[str | None] = None
    # Columns that identify a request, with item, judge, template and sample.
    factors: ClassVar[tuple[str, ...]] = ()
    # The identity as it is hashed: its first part, and whether the item comes last.
    key: ClassVar[tuple[str, ...]] = ()
    is_item_last: ClassVar[bool] = False
    # The identity in words, and the column of the item.
    key_names: ClassVar[str] = "item, judge, template, variant and sample"
    item_column: ClassVar[str] = "item"

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

    @property
    def about(self) -> What:
        """The kind of thing that `item` names."""
        return "item"

    @property
    def supplied(self) -> dict[str, Any]:
        """Columns of raw that the file gives, so that no reply is read for them."""
        return {}


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class ScoreRow(AnswerRow):
    """One score of a judge."""

    factors: ClassVar[tuple[str, ...]] = ("dimension",)
    key_names: ClassVar[str] = "item, judge, template, dimension and sample"

    dimension: Name | None = None
    value: Finite | None = None

    @property
    def supplied(self) -> dict[str, Any]:
        """The score."""
        return {} if self.value is None else {"value": self.value, "value_released": self.value}


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class VerdictRow(AnswerRow):
    """One verdict of a judge on a debate.

    Attributes:
        first_side: The side that the prompt showed first.
        answer_order: The order in which the prompt named the possible answers.
        winner: The side that won, also where the prompt asked for the loser.
        p_pro: The judge's probability that pro won.
    """

    factors: ClassVar[tuple[str, ...]] = (
        "pro_label",
        "con_label",
        "first_side",
        "outcome",
        "reasoning",
        "answer_order",
    )
    key: ClassVar[tuple[str, ...]] = ("verdict",)

    pro_label: Name | None = None
    con_label: Name | None = None
    first_side: Side | None = None
    outcome: Literal["winner", "loser"] = "winner"
    reasoning: bool | None = None
    answer_order: Name | None = None
    winner: Literal["pro", "con", "tie"] | None = None
    p_pro: Share | None = None

    @property
    def about(self) -> What:
        """A debate."""
        return "debate"

    @property
    def supplied(self) -> dict[str, Any]:
        """The winner, or the side that the probability favours."""
        p = self.p_pro
        if p is None:
            return {} if self.winner is None else {"winner": self.winner}
        likelier = "tie" if p == 0.5 else "pro" if p > 0.5 else "con"
        return {"winner": self.winner or likelier, "p_pro": p, "p_pro_low": p, "p_pro_high": p}


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class ReplyRow(AnswerRow):
    """One answer of a model to a debatable question; the model is the judge.

    Attributes:
        top_p: The share of probability it was sampled from.
        target_tokens: The length it was asked for.
        retrieval: The way documents were looked up for it.
        is_trusted_only: Whether only documents from trusted places were.
    """

    item_kind: ClassVar[str | None] = "question"
    factors: ClassVar[tuple[str, ...]] = (
        "temperature",
        "top_p",
        "target_tokens",
        "retrieval",
        "is_trusted_only",
    )
    key: ClassVar[tuple[str, ...]] = ("answer",)
    is_item_last: ClassVar[bool] = True
    key_names: ClassVar[str] = "question, judge, template, decoding, retrieval and sample"
    item_column: ClassVar[str] = "question"

    response: AnyText
    temperature: Amount | None = None
    top_p: Share | None = None
    target_tokens: TokenCount | None = None
    retrieval: Literal["none", "vanilla", "react"] = "none"
    is_trusted_only: bool | None = None

    @property
    def about(self) -> What:
        """A question."""
        return "question"


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class JudgementRow(AnswerRow):
    """One judgement of the answers to a question about a story.

    `item` is the question for naive and expert judges, the transcript for judges of a consultancy
    or a debate.

    Attributes:
        answer_order: The answers that A and B stand for in the reply.
        step: The round after which was asked; None for the whole transcript.
        p_answer_0: The probability that answer 0 is right, as loaded here.
        choice: The answer chosen, as loaded here.
    """

    item_kind: ClassVar[str | None] = "oversight"
    factors: ClassVar[tuple[str, ...]] = (
        "protocol",
        "answer_order",
        "asked_for",
        "probe",
        "probed_answer",
        "step",
    )
    key: ClassVar[tuple[str, ...]] = ("judgement",)

    protocol: Literal["naive", "expert", "consultancy", "debate"]
    answer_order: Literal["01", "10"] = "01"
    asked_for: Literal["probability", "choice"] = "probability"
    probe: Literal["none", "unverified", "padded"] = "none"
    probed_answer: AnswerIndex | None = None
    step: Annotated[int, Field(ge=1)] | None = None
    p_answer_0: Share | None = None
    choice: AnswerIndex | None = None

    @property
    def about(self) -> What:
        """A transcript, or the question alone."""
        return "story question" if self.protocol in UNARGUED else "debate transcript"

    @property
    def supplied(self) -> dict[str, Any]:
        """The probability and the choice."""
        if self.p_answer_0 is None and self.choice is None:
            return {}
        return {"p_answer_0": self.p_answer_0, "choice": self.choice}


def _house_order(value: str) -> str:
    if value not in (*NAMED_ORDERS, SHUFFLED, UNKNOWN):
        raise ValueError(
            f"should name the four houses in an order, such as {NAMED_ORDERS[-1]}, or be "
            f"{SHUFFLED}; found {value!r}"
        )
    return value


def _ranks(places: tuple[str, ...]) -> Callable[[Any], dict[str, float]]:
    expected = f"each of {', '.join(places)} once, from the best to the worst or with its rank"

    def read(value: Any) -> dict[str, float]:
        decoded = _decoded(value, expected)
        if isinstance(decoded, list):
            decoded = [(name, rank) for rank, name in enumerate(decoded, start=1)]
        ranks = _by_place(decoded, places, expected)
        if sorted(ranks.values()) != list(range(1, len(places) + 1)):
            raise ValueError(f"is no ranking; expected {expected}")
        return ranks

    return read


def _scores(value: Any) -> dict[str, float]:
    expected = f"a score from {SCORE_MIN} to {SCORE_MAX} for each of {', '.join(ROLES)}"
    decoded = _decoded(value, expected)
    if isinstance(decoded, list):
        raise ValueError(f"should be an object; expected {expected}")
    scores = _by_place(decoded, ROLES, expected)
    for role, score in scores.items():
        if not SCORE_MIN <= score <= SCORE_MAX:
            raise ValueError(f"gives {role} {score:g}; expected {expected}")
    return scores


def _decoded(value: Any, expected: str) -> list[Any] | dict[str, Any]:
    if isinstance(value, str):
        try:
            value = strict_json(value)
        except (ValueError, RecursionError):
            raise ValueError(f"is no JSON; expected {expected}") from None
    if not isinstance(value, list | dict):
        raise ValueError(f"is neither a list nor an object; expected {expected}")
    return value


def _by_place(
    pairs: list[tuple[Any, Any]] | Mapping[str, Any], places: tuple[str, ...], expected: str
) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, value in pairs.items() if isinstance(pairs, Mapping) else pairs:
        place = place_of(name) if isinstance(name, str) else None
        if place not in places:
            raise ValueError(f"names {str(name)[:60]!r}; expected {expected}")
        if place in values:
            raise ValueError(f"names {place} twice; expected {expected}")
        try:
            number = float("nan") if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if math.isnan(number):
            raise ValueError(f"gives {place} {str(value)[:60]!r}; expected {expected}")
        values[str(place)] = number
    if missing := [place for place in places if place not in values]:
        raise ValueError(f"does not name {', '.join(missing)}; expected {expected}")
    return values


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class RulingRow(AnswerRow):
    """One ruling of a judge on a parliamentary debate.

    Attributes:
        has_motion: Whether the judge was shown the motion.
        has_info_slide: Whether the judge was shown the info slide.
        house_ranks: The houses' ranks, 1 for the best; None where the reply is to be read.
        house_order: The order in which the prompt named the houses.
        strategy: Whether the debate was shown as a whole, or notes on its speeches.
    """

    item_kind: ClassVar[str | None] = "parliamentary"
    factors: ClassVar[tuple[str, ...]] = (
        "task",
        "house_order",
        "manual",
        "strategy",
        "has_motion",
        "has_info_slide",
    )
    key: ClassVar[tuple[str, ...]] = ("ruling",)

    task: Literal["house_ranks", "speaker_scores", "speaker_ranks", "all"]
    has_motion: bool
    has_info_slide: bool
    house_ranks: Annotated[dict[str, float], BeforeValidator(_ranks(HOUSES))] | None = None
    speaker_scores: Annotated[dict[str, float], BeforeValidator(_scores)] | None = None
    speaker_ranks: Annotated[dict[str, float], BeforeValidator(_ranks(ROLES))] | None = None
    house_order: Annotated[Name, AfterValidator(_house_order)] = UNKNOWN
    manual: Name = UNKNOWN
    strategy: Literal["whole", "notes"] = "whole"

    @property
    def about(self) -> What:
        """A parliamentary debate."""
        return "parliamentary debate"

    @property
    def values(self) -> dict[tuple[str, str], float]:
        """Ranks and scores that the file gives, by task and house or speaker."""
        given = {name: getattr(self, name) or {} for name in _TASKS}
        return {(task, place): value for task, of in given.items() for place, value in of.items()}


_TASKS = ("house_ranks", "speaker_scores", "speaker_ranks")


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class PreferenceRow:
    """A person's preference between two answers to a question.

    Attributes:
        answer_a: The first answer, by its id.
        model_a: Instead of its id, the model that gave the only answer of its own to the question.
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
    """A person's label of whether an answer shows the question to be disputed.

    Attributes:
        label: 1 where it does, 0 where it does not.
        answer: The answer, by its id; or else `question` and the `model` that answered it once.
    """

    annotator: Name
    label: Annotated[int, BeforeValidator(no_bool), Field(ge=0, le=1)]
    answer: Name | None = None
    question: Name | None = None
    model: JudgeId | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class PersonVerdictRow:
    """A person's verdict on a debate.

    Attributes:
        p_pro: The person's probability that pro won.
        explanation: The person's reasons.
        at: ISO 8601, or seconds since 1970.
    """

    item: Name
    annotator: Name
    winner: Literal["pro", "con", "tie"]
    p_pro: Share | None = None
    explanation: AnyText | None = None
    at: str | float | None = None
    extra: AnyText | None = None
