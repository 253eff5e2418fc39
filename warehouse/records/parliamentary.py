"""The records of British Parliamentary debates: results, panels and transcripts."""

from dataclasses import dataclass as plain_dataclass
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from warehouse.records.answers import OfRequest, Reply
from warehouse.records.bp import House, Role
from warehouse.records.core import (
    CONFIG,
    AnyText,
    DatasetId,
    Finite,
    Int,
    KeyOfDataset,
    Name,
    OfDebate,
    Prose,
)

# Who decided, where not one adjudicator of a voting panel alone.
PANEL = "panel"
FORMAT = "british_parliamentary"
MatchStatus = Literal["matched", "ambiguous", "missing"]


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class AboutDebate(OfDebate):
    """One room of one round of a tournament, as a row of `raw.debates`.

    Attributes:
        debate_id: The data set's name, a colon, and the source's own id.
        motion: What is debated; None where nobody knows, which is an empty text in the table.
        info_slide: What all in the room were told beforehand; the table's `context`.
        tournament: The tournament, and the two below, stand in the table's `extra`.
        room: Which room of the round.
        is_contentious: Whether the motion is one on which people's politics divide them, where a
            user says so; in `extra`.
    """

    motion: Prose | None = None
    info_slide: Prose | None = None
    tournament: Name | None = None
    round: Name | None = None
    room: Name | None = None
    is_contentious: bool | None = None
    start_date: date | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class TeamResult(OfDebate):
    """What a house was given, by the panel or by one of its adjudicators.

    Attributes:
        decided_by: `panel`, or the adjudicator whose own ballot it is.
        team_rank: From 1, the best, to 4; None where the source does not say.
        points: Points for the tab, three for the first to none for the last.
        is_swing: Whether the team only fills the room.
    """

    decided_by: Name
    house: House
    team: Name | None = None
    team_rank: Annotated[int, Field(ge=1, le=4)] | None = None
    points: Finite | None = None
    is_swing: bool | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class SpeakerResult(OfDebate):
    """What a speech was given, by the panel or by one of its adjudicators.

    Attributes:
        decided_by: `panel`, or the adjudicator whose own ballot it is.
        speaker: Who gave it; one who spoke twice (an iron man) is named twice.
        is_ghost: Whether the score does not count for the speaker, who spoke twice.
    """

    decided_by: Name
    role: Role
    speaker: Name | None = None
    score: Annotated[Finite, Field(ge=50, le=100)] | None = None
    is_ghost: bool | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class Adjudicator(OfDebate):
    """Somebody on the panel of a debate."""

    adjudicator_id: KeyOfDataset
    name: Name | None = None
    is_chair: bool | None = None
    is_trainee: bool | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class TranscriptMatch:
    """Which row of results a transcript belongs to, or why nobody can say.

    Attributes:
        transcript: The transcript's title; None for a row of results without one.
        result_row: The row of results; None for a transcript without one.
        debate_id: The debate they make; None where there is no transcript.
        status: `matched`, `ambiguous` or `missing`.
        reason: How they were matched, or why not.
    """

    dataset_id: DatasetId
    status: MatchStatus
    reason: Prose
    transcript: Name | None = None
    result_row: Name | None = None
    debate_id: KeyOfDataset | None = None
    candidates: tuple[str, ...] = ()


@plain_dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript on its way from a recording, and what people decided about it."""

    transcript_id: str
    dataset_id: str
    title: str
    motion: str | None
    info_slide: str | None
    origin: str
    transcriber: str | None
    corrector: str | None
    segmenter: str
    status: str
    reason: str | None
    max_word_error_rate: float | None
    word_error_rate: float | None
    verified_by: str | None
    verified_at: datetime | None
    extra: str | None


@plain_dataclass(frozen=True, slots=True)
class TranscriptSegment:
    """A part of a transcript: as it was heard, corrected by a model, and verified by a person."""

    transcript_id: str
    dataset_id: str
    position: Int
    role: str | None
    speaker: str | None
    start_s: float | None
    end_s: float | None
    raw_text: str
    corrected_text: str | None
    verified_text: str | None
    word_error_rate: float | None
    changed_words: Int | None
    status: str
    reason: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication(Reply):
    """One ruling of a judge on a debate; what it rules stands in the values."""

    debate_id: str
    task: str
    manual: str
    house_order: str
    named_order: str | None
    strategy: str
    has_motion: bool
    has_info_slide: bool
    context_tokens: int | None
    is_context_exact: bool | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicationValue(OfRequest):
    """What a ruling gives one house or speaker."""

    task: str
    place: str
    value: float | None
    reason: str | None


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicationFault(OfRequest):
    """What is wrong with a ruling."""

    task: str
    fault: str
    detail: str
