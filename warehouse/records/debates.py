"""The records of debates that people decided: outcomes, verdicts and people."""

from dataclasses import dataclass as plain_dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from warehouse.records.answers import OfRequest, Reply
from warehouse.records.core import (
    CONFIG,
    AnyText,
    Count,
    DatasetId,
    Finite,
    KeyOfDataset,
    Name,
    OfDebate,
    Share,
    Winner,
)


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class Outcome(OfDebate):
    """What people decided about one debate on one criterion.

    Attributes:
        criterion: What was decided, such as `more_convincing_arguments`.
        decided_by: Who decided: `audience_votes`, `live_audience`, `live_judge`, `judge`,
            `answer_key`.
        is_primary: Whether this criterion is the data set's human winner.
        winner: The side that is ahead, `tie` when none is, None when nobody voted. A lead that is
            too small for a filter rule is still a lead here.
        margin: How far the winner is ahead, in the unit of what was counted; 0 for a tie.
        votes_pro: Votes for pro; None where not votes decide.
        votes_tie: Votes for neither.
        score_pro: Pro's points, swing or probability, where not votes decide.
        score_con: Con's.
        extra: What else the source says about it, as a JSON object.
    """

    criterion: Name
    decided_by: Name
    is_primary: bool
    winner: Winner | None
    margin: Annotated[Finite, Field(ge=0)] | None = None
    votes_pro: Count | None = None
    votes_con: Count | None = None
    votes_tie: Count | None = None
    score_pro: Finite | None = None
    score_con: Finite | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class HumanVerdict(OfDebate):
    """What one person thought of a debate at one step of it.

    Attributes:
        judge_id: The person, with the data set's prefix.
        protocol: What the person judged: `debate`, `consultancy`, or, with nothing but the
            question, `naive`.
        mode: How: `live`, `stepped`, `timed`, `read` or `dashboard`.
        is_interactive: Whether the person could talk with the debaters.
        step: From 0, which is before the first speech where beliefs were asked that early.
        is_final: Whether this is the verdict, not a belief on the way.
        choice: The side held to be right or to have won; `tie` for exactly one half.
        p_pro: The probability the person gave pro; None where only a choice was asked.
        explanation: Why, in the person's words.
        judged_at: When, UTC.
    """

    judge_id: KeyOfDataset
    protocol: Name
    mode: Name
    is_interactive: bool
    step: Annotated[int, Field(ge=0, lt=2**31)]
    is_final: bool
    choice: Winner | None
    p_pro: Share | None = None
    explanation: AnyText | None = None
    judged_at: datetime | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class Participant:
    """A person who debates or votes. What tells who they are outside the site is not kept."""

    participant_id: KeyOfDataset
    dataset_id: DatasetId
    name: Name
    debate_count: Count | None = None
    won_count: Count | None = None
    lost_count: Count | None = None
    tied_count: Count | None = None
    voted_count: Count | None = None
    elo: Finite | None = None
    win_ratio: Finite | None = None
    political_ideology: AnyText | None = None
    religious_ideology: AnyText | None = None
    big_issues: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class LoggedVerdict:
    """What one judge made of one debate of models, as a log of debates says it.

    Attributes:
        debate_id: The debate; its twin with the sides swapped is another one.
        motion: What was debated; debates of one motion belong together.
        pro_debater: The model that argued for it.
        con_debater: The one that argued against it.
        judge: The judge, by the log's own name.
        winner: The side that won; None where the verdict could not be read.
        margin: How far the winner was ahead, in the log's own unit.
        pro_words: How long the first side spoke.
        con_words: How long the second side did.
        pro_family: The family of the first side's model, where the log says it.
        con_family: That of the second side's.
        extra: The log's other fields, as a JSON object.
    """

    debate_id: KeyOfDataset
    dataset_id: DatasetId
    motion: AnyText
    pro_debater: Name
    con_debater: Name
    judge: Name
    winner: Winner | None = None
    margin: Finite | None = None
    pro_words: Count | None = None
    con_words: Count | None = None
    pro_family: Name | None = None
    con_family: Name | None = None
    judge_family: Name | None = None
    extra: AnyText | None = None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Reply):
    """One verdict on a debate, with all that varied in how it was asked for."""

    debate_id: str
    pro_label: str | None
    con_label: str | None
    first_side: str | None
    outcome: str
    reasoning: bool | None
    answer_order: str | None
    verbalizer: str | None
    position: str | None
    winner: str | None
    p_pro: float | None
    p_pro_low: float | None
    p_pro_high: float | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class PressedVerdict(Verdict):
    """One verdict asked for again, after a side has spoken to the first one."""

    rebuttal: str
    said_by: str
    first_template: str
    first_winner: str
    first_request_id: str


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class LabelProbability(OfRequest):
    """How likely a judge found one label of a verdict."""

    label: str
    logprob: float | None
    p: float | None
    p_low: float
    p_high: float
