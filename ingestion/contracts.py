"""The typed records every source is turned into. What breaks a rule here never reaches raw.

They are slotted and frozen: a data set of a million ratings is a million of them at once.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from ingestion.judge_names import as_slash_form

DATASET_NAME = re.compile(r"[a-z][a-z0-9-]*")
JUDGE_ID = re.compile(r"[a-z][a-z0-9-]*/[A-Za-z0-9._:/-]+")
RESERVED_PROVIDERS = ("human", "ensemble")

_NOT_BLANK = r"\S"
_CONFIG = ConfigDict(extra="forbid")


def _no_bool(value: Any) -> Any:
    # Pydantic would read True as 1.
    if isinstance(value, bool):
        raise ValueError("should be a number, not a truth value")
    return value


def _is_judge(value: Any) -> Any:
    value = as_slash_form(value) if isinstance(value, str) else value
    if not isinstance(value, str) or JUDGE_ID.fullmatch(value) is None or ".." in value:
        raise ValueError("should be provider/model, such as openai/gpt-4.1-mini, without '..'")
    if value.split("/", 1)[0] in RESERVED_PROVIDERS:
        raise ValueError(
            "is reserved: sets of judges are 'ensemble/NAME', and people's verdicts on debates are "
            "imported with --format human-verdicts"
        )
    return value


def _is_unicode(value: str) -> str:
    # Half of a surrogate pair is valid in JSON and in no database.
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("should be valid Unicode text") from None
    return value


# The lengths are those of a careless paste, not of any id seen. No control characters: a name ends
# up in terminals.
_NAME = r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?"
Name = Annotated[str, Field(min_length=1, max_length=300, pattern=rf"^{_NAME}$")]
DatasetId = Annotated[str, Field(max_length=60, pattern=r"^[a-z][a-z0-9-]*$")]
KeyOfDataset = Annotated[str, Field(max_length=400, pattern=rf"^[a-z][a-z0-9-]*:{_NAME}$")]
AnyText = Annotated[str, AfterValidator(_is_unicode)]
Prose = Annotated[str, Field(pattern=_NOT_BLANK)]
Finite = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False)]
Amount = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False, ge=0)]
# More would not fit the column.
Count = Annotated[int, BeforeValidator(_no_bool), Field(ge=0, lt=2**63)]
Share = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False, ge=0, le=1)]
SampleNumber = Annotated[int, BeforeValidator(_no_bool), Field(ge=0, lt=2**31)]
TokenCount = Annotated[int, BeforeValidator(_no_bool), Field(ge=1, lt=2**31)]
Retrieval = Literal["none", "vanilla", "react"]
JudgeId = Annotated[str, BeforeValidator(_is_judge)]
Side = Literal["pro", "con"]
Role = Literal["pm", "lo", "dpm", "dlo", "mg", "mo", "gw", "ow"]
House = Literal["og", "oo", "cg", "co"]
SpeakerRole = Literal["debater", "moderator", "host", "audience", "judge", "other"]


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Dataset:
    """One data set and whom to thank for it."""

    dataset_id: DatasetId
    title: Prose
    licence: Prose
    citation: AnyText | None = None
    url: AnyText | None = None
    is_sample: bool = False


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Dimension:
    """One question people were asked about an item, and its scale."""

    dataset_id: DatasetId
    dimension: Name
    question: Prose
    scale_min: Finite
    scale_max: Finite


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Debate:
    """One motion. Speeches on it belong together: it is the unit that intervals resample.

    Attributes:
        debate_id: The data set's name, a colon, and the source's own id.
        dataset_id: The data set.
        motion: What is debated.
        format: How it is debated.
        context: What judges must know beside the speeches.
        extra: The source's other fields, as a JSON object.
        category: The source's subject heading.
        round_count: Rounds, as the source counts them.
        end_side: Which side has the last word; None where that means nothing.
        start_date: When it began.
        voter_count: How many people voted on it.
        cluster_id: What it shares with the debates it belongs together with, such as a twin with
            the sides swapped or others on the same story; None where it stands alone.
    """

    debate_id: KeyOfDataset
    dataset_id: DatasetId
    motion: Prose
    format: Name
    context: AnyText | None = None
    extra: AnyText | None = None
    category: AnyText | None = None
    round_count: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    end_side: Side | None = None
    start_date: date | None = None
    voter_count: Count | None = None
    cluster_id: KeyOfDataset | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Speech:
    """One text that people or judges score.

    Attributes:
        item_id: The data set's name, a colon, and the source's own id.
        dataset_id: The data set.
        debate_id: The debate it belongs to.
        source: Who or what produced it.
        text: The text, exactly as in the source.
        extra: The source's other columns, as a JSON object; None when there are none.
        speech_order: Which turn of its debate it is, from 1; None for a speech that stands alone.
        round: What that turn is called.
        side: Whose turn it is.
        speaker: Who speaks.
        speaker_role: As what: a debater, or one of the others who have no side.
        role: Which of the eight speeches of a British Parliamentary debate it is; these have no
            side of pro or con.
        start_s: Seconds into the recording at which it begins.
        end_s: Seconds into the recording at which it ends.
    """

    item_id: KeyOfDataset
    dataset_id: DatasetId
    debate_id: KeyOfDataset
    source: Name
    text: Prose
    extra: AnyText | None = None
    speech_order: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    round: Name | None = None
    side: Side | None = None
    speaker: Name | None = None
    speaker_role: SpeakerRole | None = None
    role: Role | None = None
    start_s: Amount | None = None
    end_s: Amount | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Rating:
    """What one person said about one item on one dimension."""

    dataset_id: DatasetId
    item_id: KeyOfDataset
    annotator_id: KeyOfDataset
    dimension: Name
    value: Finite


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class AnswerRow:
    """What score and verdict files have in common. None means the file does not say.

    Attributes:
        item: What was judged, with or without its data set's name before it.
        judge: `provider/model`.
        template: Which prompt was used; free text.
        sample: Which repeat of the same request, from 0.
        response: The judge's raw reply.
        tokens_in: Tokens of the prompt.
        tokens_out: Tokens of the reply.
        latency_s: Seconds until the reply was there.
        cost_usd: US dollars paid for it.
        at: When it was answered: ISO 8601, or seconds since 1970.
        extra: The file's other columns, as a JSON object; None when there are none.
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


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class ScoreRow(AnswerRow):
    """One score of a judge, as a file brings it.

    Attributes:
        dimension: What was scored.
        value: The score.
    """

    dimension: Name | None = None
    value: Finite | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class VerdictRow(AnswerRow):
    """One verdict of a judge on a debate, as a file brings it.

    Attributes:
        pro_label: What the prompt called the pro side.
        con_label: What it called the con side.
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


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
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


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class PreferenceRow:
    """Which of two answers to a question a person prefers, as a file brings it.

    Attributes:
        question: The question.
        annotator: Who was asked.
        choice: The answer preferred, or neither.
        answer_a: One answer, by its id.
        answer_b: The other.
        model_a: Instead of its id, the model that gave the one answer to the question there is.
        model_b: The same of the other.
        extra: The file's other columns, as a JSON object; None when there are none.
    """

    question: Name
    annotator: Name
    choice: Literal["a", "b", "tie"]
    answer_a: Name | None = None
    answer_b: Name | None = None
    model_a: JudgeId | None = None
    model_b: JudgeId | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class DisputeRow:
    """Whether a person finds that an answer shows the question to be disputed.

    Attributes:
        annotator: Who was asked.
        label: 1 where it does, 0 where it does not.
        answer: The answer, by its id.
        question: Instead of the answer's id, the question ...
        model: ... and the model that gave the one answer to it there is.
        extra: The file's other columns, as a JSON object; None when there are none.
    """

    annotator: Name
    label: Annotated[int, BeforeValidator(_no_bool), Field(ge=0, le=1)]
    answer: Name | None = None
    question: Name | None = None
    model: JudgeId | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class PersonVerdictRow:
    """Who won a debate in the eyes of one person, as a file brings it.

    Attributes:
        item: The debate.
        annotator: Who was asked.
        winner: The side that won.
        p_pro: The probability the person gave pro of having won.
        explanation: Why, in the person's words.
        at: When: ISO 8601, or seconds since 1970.
        extra: The file's other columns, as a JSON object; None when there are none.
    """

    item: Name
    annotator: Name
    winner: Literal["pro", "con", "tie"]
    p_pro: Share | None = None
    explanation: AnyText | None = None
    at: str | float | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG)
class JudgeRow:
    """One judge as the warehouse keeps it; `settings` is a JSON object."""

    judge_id: JudgeId
    provider: Name
    model: Name
    settings: AnyText
    settings_hash: Name
    family: AnyText | None = None
    size_b_params: Amount | None = None


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Return the field and the reason of the first broken rule, in words for a user."""
    detail = error.errors(include_url=False)[0]
    field = str(detail["loc"][0]) if detail["loc"] else ""
    reason = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if detail["type"] == "string_pattern_mismatch":
        reason = "should not be blank"
        if detail["ctx"]["pattern"] != _NOT_BLANK:
            reason += ", nor begin or end with white space, nor hold control characters"
    elif detail["type"] == "string_unicode":
        reason = "should be valid Unicode text"
    shown = repr(detail["input"])
    return field, f"{reason}; found {shown if len(shown) <= 80 else shown[:77] + '...'}"
