"""The records of British Parliamentary debates: speeches, results, panels and transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from datetime import date
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from ingestion.batch import Reject, SourceFile
from ingestion.contracts import (
    AnyText,
    Dataset,
    DatasetId,
    Finite,
    House,
    KeyOfDataset,
    Name,
    Prose,
    Role,
    Speech,
)
from ingestion.debates.contracts import FilterRule, Removal

# Who decided, where not one adjudicator of a voting panel alone.
PANEL = "panel"
FORMAT = "british_parliamentary"
MatchStatus = Literal["matched", "ambiguous", "missing"]
_CONFIG = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class AboutDebate:
    """One room of one round of a tournament, as a row of `raw.debates`.

    Attributes:
        debate_id: The data set's name, a colon, and the source's own id.
        dataset_id: The data set.
        motion: What is debated; None where nobody knows, which is an empty text in the table.
        info_slide: What all in the room were told beforehand; the table's `context`.
        tournament: The tournament, and the two below, stand in the table's `extra`.
        round: Which round of it.
        room: Which room of the round.
        is_contentious: Whether the motion is one on which people's politics divide them, where a
            user says so; in `extra`.
        start_date: When it was held.
        extra: The source's other fields, as a JSON object.
    """

    debate_id: KeyOfDataset
    dataset_id: DatasetId
    motion: Prose | None = None
    info_slide: Prose | None = None
    tournament: Name | None = None
    round: Name | None = None
    room: Name | None = None
    is_contentious: bool | None = None
    start_date: date | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class TeamResult:
    """What a house was given, by the panel or by one of its adjudicators.

    Attributes:
        debate_id: The debate.
        dataset_id: Its data set.
        decided_by: `panel`, or the adjudicator whose own ballot it is.
        house: The house.
        team: Who spoke for it.
        team_rank: From 1, the best, to 4; None where the source does not say.
        points: Points for the tab, three for the first to none for the last.
        is_swing: Whether the team only fills the room.
        extra: What else the source says, as a JSON object.
    """

    debate_id: KeyOfDataset
    dataset_id: DatasetId
    decided_by: Name
    house: House
    team: Name | None = None
    team_rank: Annotated[int, Field(ge=1, le=4)] | None = None
    points: Finite | None = None
    is_swing: bool | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class SpeakerResult:
    """What a speech was given, by the panel or by one of its adjudicators.

    Attributes:
        debate_id: The debate.
        dataset_id: Its data set.
        decided_by: `panel`, or the adjudicator whose own ballot it is.
        role: Which speech.
        speaker: Who gave it; one who spoke twice (an iron man) is named twice.
        score: From 50 to 100.
        is_ghost: Whether the score does not count for the speaker, who spoke twice.
        extra: What else the source says, as a JSON object.
    """

    debate_id: KeyOfDataset
    dataset_id: DatasetId
    decided_by: Name
    role: Role
    speaker: Name | None = None
    score: Annotated[Finite, Field(ge=50, le=100)] | None = None
    is_ghost: bool | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class Adjudicator:
    """Somebody on the panel of a debate."""

    debate_id: KeyOfDataset
    dataset_id: DatasetId
    adjudicator_id: KeyOfDataset
    name: Name | None = None
    is_chair: bool | None = None
    is_trainee: bool | None = None
    extra: AnyText | None = None


@dataclass(frozen=True, slots=True, config=_CONFIG, kw_only=True)
class TranscriptMatch:
    """Which row of results a transcript belongs to, or why nobody can say.

    Attributes:
        dataset_id: The data set.
        transcript: The transcript's title; None for a row of results without one.
        result_row: The row of results; None for a transcript without one.
        debate_id: The debate they make; None where there is no transcript.
        status: `matched`, `ambiguous` or `missing`.
        reason: How they were matched, or why not.
        candidates: What else it could have been.
    """

    dataset_id: DatasetId
    status: MatchStatus
    reason: Prose
    transcript: Name | None = None
    result_row: Name | None = None
    debate_id: KeyOfDataset | None = None
    candidates: tuple[str, ...] = ()


@plain_dataclass(frozen=True)
class ParliamentaryDebate:
    """One debate with everything a source says about it.

    Attributes:
        debate: The debate.
        speeches: What was said, in order, each with its role; none of a debate known from a tab
            alone.
        teams: Results of the houses.
        speakers: Results of the speeches.
        adjudicators: The panel.
        removal: The rule that keeps judges from reading it; None when it is kept.
    """

    debate: AboutDebate
    speeches: Sequence[Speech] = ()
    teams: Sequence[TeamResult] = ()
    speakers: Sequence[SpeakerResult] = ()
    adjudicators: Sequence[Adjudicator] = ()
    removal: Removal | None = None


@plain_dataclass(frozen=True)
class ParliamentaryBatch:
    """One load of one data set of parliamentary debates.

    Attributes:
        dataset: The data set.
        files: The files it comes from; the first is what rows name as their file.
        debates: The debates, each id once.
        rules: The rules that remove debates, in order.
        matches: How transcripts and results were brought together; none where a source has both
            in one.
        rejects: What broke the contract.
        notes: What a user should know about how the source was read.
    """

    dataset: Dataset
    files: Sequence[SourceFile]
    debates: Sequence[ParliamentaryDebate]
    rules: Sequence[FilterRule] = ()
    matches: Sequence[TranscriptMatch] = ()
    rejects: Sequence[Reject] = ()
    notes: Sequence[str] = field(default=())
