"""The tab of a tournament: rooms with teams, a panel, sheets and speeches, and their debates.

Every source of parliamentary debates makes `Room`s; `debate_of` turns a room into records. The
official result is the panel's sheet. From single ballots alone it is derived as Tabbycat derives
it: each speech's mean score over the ballots that count, and houses ranked by their sums.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from ingestion.json_values import as_json, finite
from ingestion.parliamentary.batch import (
    ParliamentaryDebate,
    removal_of,
)
from ingestion.parliamentary.tagged import TaggedSpeech, name_of
from ingestion.parliamentary.user_tables import Motions
from ingestion.reading import Reading
from warehouse.records.bp import HOUSES, ROLES, ROLES_OF, SCORE_MAX, SCORE_MIN, House, Role
from warehouse.records.bp import house_sums as sums_of
from warehouse.records.core import Removal, Speech
from warehouse.records.parliamentary import (
    PANEL,
    AboutDebate,
    Adjudicator,
    MatchStatus,
    SpeakerResult,
    TeamResult,
    TranscriptMatch,
)

SCORE_RANGE = f"should be a number from {SCORE_MIN} to {SCORE_MAX}"
# Scores are given to the half or quarter; sums of their means may differ in the last bit.
SAME_SCORE = 1e-6


@dataclass(frozen=True)
class SpeechLine:
    """A speech on a sheet: its speaker, its score, and whether the score is a ghost's."""

    speaker: str | None = None
    score: float | None = None
    is_ghost: bool | None = None


@dataclass(frozen=True)
class HouseLine:
    """A house on a sheet: its rank, and three points for the best to none for the last."""

    rank: int | None = None
    points: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """The result of one adjudicator, or of the panel where `adjudicator` is None."""

    houses: Mapping[House, HouseLine] = field(default_factory=dict)
    speeches: Mapping[Role, SpeechLine] = field(default_factory=dict)
    adjudicator: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def house_sums(self) -> dict[str, float] | None:
        """Sum of each house's scores; None unless all eight are known."""
        scores: dict[str, float] = {
            role: line.score for role, line in self.speeches.items() if line.score is not None
        }
        return sums_of(scores) if len(scores) == len(ROLES) else None


@dataclass(frozen=True)
class Team:
    """The team of a house."""

    name: str | None = None
    is_swing: bool | None = None


@dataclass(frozen=True)
class Seat:
    """A seat on the panel; `identity` is the adjudicator's id in the tab."""

    identity: str
    name: str | None = None
    is_chair: bool | None = None
    is_trainee: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Room:
    """One room of one round.

    Attributes:
        identity: The tab's own id of the room, after the tournament's and a slash.
        place: The room in messages and quarantine.
        about: Fields of the debate, such as its motion.
        names: Other names that a transcript of the room may have.
        sheets: Sheets of the one ballot that counts.
        result_problem: Reason why there is not one result.
        speech_problem: Reason why the speeches are not the eight of a debate.
        speech_source: Maker of the transcript.
        removal: The rule that removes the debate whatever its speeches and results.
    """

    identity: str
    place: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    names: Sequence[str] = ()
    teams: Mapping[House, Team] = field(default_factory=dict)
    panel: Sequence[Seat] = ()
    sheets: Sequence[Sheet] = ()
    result_problem: str | None = None
    speeches: Sequence[TaggedSpeech] = ()
    speech_problem: str | None = None
    speech_source: str = ""
    removal: Removal | None = None


def score_of(value: Any) -> float | None:
    """Return a cell's score; None where it is not a number on the scale."""
    score = finite(value)
    return score if score is not None and SCORE_MIN <= score <= SCORE_MAX else None


def ranking(houses: Sequence[str], *, has_points: bool = False) -> dict[House, HouseLine]:
    """Return houses, best first, as lines of a sheet."""
    return {
        house: HouseLine(rank, float(len(HOUSES) - rank) if has_points else None)  # type: ignore[misc]
        for rank, house in enumerate(houses, start=1)
    }


def ranking_by_sums(sums: Mapping[str, float]) -> list[House] | None:
    """Return the houses, best first; None where two sums are equal, which the format forbids."""
    best = sorted(HOUSES, key=lambda house: -sums[house])
    if any(sums[high] - sums[low] <= SAME_SCORE for high, low in pairwise(best)):
        return None
    return best


def results_of(room: Room, reading: Reading) -> tuple[list[Sheet], str | None]:
    """Return a room's sheets, the panel's first, and the reason why the panel has no result."""
    official = [sheet for sheet in room.sheets if sheet.adjudicator is None]
    ballots = [sheet for sheet in room.sheets if sheet.adjudicator is not None]
    if not room.sheets:
        return [], room.result_problem
    if len(official) > 1:
        return ballots, f"{len(official)} sheets are each the panel's"
    if not official:
        trainees = {seat.identity for seat in room.panel if seat.is_trainee}
        panel = _mean_sheet([each for each in ballots if each.adjudicator not in trainees])
        if panel is None:
            return ballots, "the panel has no result of its own, and its ballots no scores"
        reading.repaired["results of voting panels, derived from their ballots"] += 1
        official = [panel]
    problem = room.result_problem
    # Scores of all eight speeches are a result, whatever is known of the houses.
    if official[0].house_sums() is None and any(
        "is_winner" in line.extra for line in official[0].houses.values()
    ):
        problem = problem or "it is known which houses won or went on, not how the four rank"
    return [*official, *ballots], problem


def _mean_sheet(ballots: Sequence[Sheet]) -> Sheet | None:
    """Return the panel's sheet derived from single ballots; None where they have no scores."""
    if not any(line.score is not None for each in ballots for line in each.speeches.values()):
        return None
    speeches: dict[Role, SpeechLine] = {}
    for role in (role for house in HOUSES for role in ROLES_OF[house]):
        lines = [each.speeches[role] for each in ballots if role in each.speeches]
        scores = [line.score for line in lines if line.score is not None]
        speakers = {line.speaker for line in lines}
        # The mean of some of the ballots, or of two people's speeches, is not the panel's score.
        is_whole = len(scores) == len(ballots) and len(speakers) == 1
        speeches[role] = SpeechLine(
            next(iter(speakers)) if len(speakers) == 1 else None,
            math.fsum(scores) / len(scores) if is_whole else None,
            lines[0].is_ghost if lines else None,
        )
    note = {"derived": f"from {len(ballots)} ballots: mean scores, and houses by their sums"}
    panel = Sheet({house: HouseLine() for house in HOUSES}, speeches, extra=note)
    best = ranking_by_sums(sums) if (sums := panel.house_sums()) else None
    if best is None:
        return panel
    lines_of = ranking(best, has_points=True)
    return replace(panel, houses={house: lines_of[house] for house in HOUSES})


@dataclass
class Matching:
    """The outcomes of matching transcripts and results of a data set."""

    dataset_id: str
    matches: list[TranscriptMatch] = field(default_factory=list)

    def note(self, status: MatchStatus, reason: str, transcript: str | None, **more: Any) -> None:
        """Add the outcome of a transcript, of a result without one, or of both."""
        # Names of files may hold anything.
        fields = {"status": status, "reason": reason, "transcript": name_of(transcript), **more}
        self.matches.append(TranscriptMatch(dataset_id=self.dataset_id, **fields))


def debate_of(
    dataset_id: str, room: Room, reading: Reading, motions: Motions | None = None
) -> ParliamentaryDebate:
    """Return the records of a room: its debate, speeches, panel, and every result of its sheets."""
    of: dict[str, Any] = {
        "debate_id": f"{dataset_id}:{room.identity}",
        "dataset_id": dataset_id,
    }
    tournament = room.identity.rpartition("/")[0]

    def person(identity: str | None) -> str:
        if identity is None:
            return PANEL
        return f"{dataset_id}:{tournament}/{identity}" if tournament else f"{dataset_id}:{identity}"

    sheets, problem = results_of(room, reading)
    teams = [
        TeamResult(
            **of,
            decided_by=person(sheet.adjudicator),
            house=house,
            team=(team := room.teams.get(house, Team())).name,
            team_rank=line.rank,
            points=line.points,
            is_swing=team.is_swing,
            extra=_json({**sheet.extra, **line.extra}),
        )
        for sheet in sheets
        for house, line in sheet.houses.items()
    ]
    speakers = [
        SpeakerResult(
            **of,
            decided_by=person(sheet.adjudicator),
            role=role,
            speaker=line.speaker,
            score=line.score,
            is_ghost=line.is_ghost,
            extra=_json(sheet.extra),
        )
        for sheet in sheets
        for role, line in sheet.speeches.items()
    ]
    speeches = [
        Speech(
            **of,
            item_id=f"{of['debate_id']}/{speech.role}",
            source=room.speech_source,
            text=speech.text,
            speech_order=place,
            round=speech.role.upper(),
            speaker_role="debater",
            role=speech.role,  # type: ignore[arg-type]
            speaker=speech.speaker,
            start_s=speech.start_s,
            end_s=speech.end_s,
        )
        for place, speech in enumerate(room.speeches, start=1)
    ]
    panel = [
        Adjudicator(
            **of,
            adjudicator_id=person(seat.identity),
            name=seat.name,
            is_chair=seat.is_chair,
            is_trainee=seat.is_trainee,
        )
        for seat in room.panel
    ]
    removal = room.removal or removal_of(
        speeches, teams, speakers, speech_problem=room.speech_problem, result_problem=problem
    )
    debate = AboutDebate(**of, **room.about, extra=_json(room.extra))
    if motions is not None:
        debate = motions.add_to(debate, *room.names)
    return ParliamentaryDebate(debate, speeches, teams, speakers, panel, removal)


def _json(fields: Mapping[str, Any]) -> str | None:
    known = {name: value for name, value in fields.items() if value is not None}
    return as_json(known) if known else None
