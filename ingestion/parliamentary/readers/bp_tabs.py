"""From a room of a tab to the debate that is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingestion.json_values import as_json
from ingestion.oversight.reading import Reading
from ingestion.parliamentary.batch import ParliamentaryDebate
from ingestion.parliamentary.readers.bp_rooms import Room, Team
from ingestion.parliamentary.readers.bp_tab_results import results_of
from ingestion.parliamentary.rules import removal_of
from warehouse.records.core import Speech
from warehouse.records.parliamentary import (
    PANEL,
    AboutDebate,
    Adjudicator,
    SpeakerResult,
    TeamResult,
)


def debate_of(
    dataset_id: str,
    room: Room,
    reading: Reading,
    speeches: Sequence[Speech] = (),
    *,
    speech_problem: str | None = None,
    is_contentious: bool | None = None,
) -> ParliamentaryDebate:
    """Return the debate of a room, with every result its sheets have.

    Args:
        dataset_id: The data set.
        room: The room.
        reading: Collects cells that are no score or rank, and counts repairs.
        speeches: What was said, where somebody wrote it down.
        speech_problem: Why the speeches are not the eight of a debate.
        is_contentious: Whether a user says that people's politics divide them on the motion.

    Raises:
        ValidationError: A name or text breaks the contract of records.
    """
    debate_id = f"{dataset_id}:{room.identity}"
    found = results_of(room, reading)
    teams = [
        TeamResult(
            debate_id=debate_id,
            dataset_id=dataset_id,
            decided_by=_decided_by(dataset_id, room, sheet.adjudicator),
            house=house,
            team=(team := room.teams.get(house, Team())).name,
            team_rank=result.rank,
            points=result.points,
            is_swing=team.is_swing,
            extra=_json({**team.extra, **sheet.extra, **result.extra}),
        )
        for sheet in found.sheets
        for house, result in sheet.houses.items()
    ]
    speakers = [
        SpeakerResult(
            debate_id=debate_id,
            dataset_id=dataset_id,
            decided_by=_decided_by(dataset_id, room, sheet.adjudicator),
            role=role,
            speaker=line.speaker,
            score=line.score,
            is_ghost=line.is_ghost,
            extra=_json(sheet.extra),
        )
        for sheet in found.sheets
        for role, line in sheet.speeches.items()
    ]
    return ParliamentaryDebate(
        debate=AboutDebate(
            debate_id=debate_id,
            dataset_id=dataset_id,
            motion=room.motion,
            info_slide=room.info_slide,
            tournament=room.tournament,
            round=room.round,
            room=room.room,
            is_contentious=is_contentious,
            start_date=room.start_date,
            extra=_json(room.extra),
        ),
        speeches=speeches,
        teams=teams,
        speakers=speakers,
        adjudicators=[
            Adjudicator(
                debate_id=debate_id,
                dataset_id=dataset_id,
                adjudicator_id=_adjudicator_id(dataset_id, room, seat.identity),
                name=seat.name,
                is_chair=seat.is_chair,
                is_trainee=seat.is_trainee,
            )
            for seat in room.panel
        ],
        removal=removal_of(
            speeches,
            teams,
            speakers,
            speech_problem=speech_problem,
            result_problem=room.result_problem or found.problem,
        ),
    )


def _adjudicator_id(dataset_id: str, room: Room, identity: str) -> str:
    return f"{dataset_id}:{room.identity.rpartition('/')[0]}/{identity}"


def _decided_by(dataset_id: str, room: Room, identity: str | None) -> str:
    return PANEL if identity is None else _adjudicator_id(dataset_id, room, identity)


def _json(fields: Mapping[str, Any]) -> str | None:
    said = {name: value for name, value in fields.items() if value is not None}
    return as_json(said) if said else None
