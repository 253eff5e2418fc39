"""The sample's parliamentary debates as a source: written texts and made-up tabs."""

from collections.abc import Mapping
from typing import Any

from ingestion.parliamentary.batch import ParliamentaryBatch, ParliamentaryDebate, speech_of
from ingestion.parliamentary.rules import RULES, removal_of
from ingestion.sample.texts import written_texts
from warehouse.records.bp import HOUSES, house_sums
from warehouse.records.core import Dataset
from warehouse.records.parliamentary import (
    PANEL,
    AboutDebate,
    Adjudicator,
    SpeakerResult,
    TeamResult,
)

NAME = "sample-parliamentary"
DATASET = Dataset(
    dataset_id=NAME,
    title="Rostrum sample parliamentary debates (written for this project, not real data)",
    licence="Apache-2.0",
    citation="Debates and tabs written for the Rostrum project.",
)
_AS_WRITTEN = ("motion", "tournament", "round", "room", "is_contentious")


def sample_parliamentary_batch() -> ParliamentaryBatch:
    """Return the bundled debates."""
    texts, file = written_texts("parliamentary", "the bundled sample parliamentary debates")
    debates = [_debate(slug, written) for slug, written in texts.items()]
    return ParliamentaryBatch(DATASET, [file], debates, RULES)


def _debate(slug: str, written: Mapping[str, Any]) -> ParliamentaryDebate:
    of: dict[str, Any] = {"debate_id": f"{NAME}:{slug}", "dataset_id": NAME}
    said = written["speeches"]
    speeches = [
        speech_of(
            of,
            place,
            each["role"],
            source="Rostrum sample",
            text=" ".join(each["text"].split()),
            speaker=each["speaker"],
        )
        for place, each in enumerate(said, start=1)
    ]
    names = {each["role"]: each["speaker"] for each in said}
    scores = {PANEL: {each["role"]: each["score"] for each in said}}
    rankings = {PANEL: written["ranking"]}
    panel = []
    for each in written["adjudicators"]:
        identity = f"{NAME}:{each['name'].casefold().replace(' ', '-')}"
        if "ballot" in each:
            scores[identity] = each["ballot"]
            rankings[identity] = _ranking(each["ballot"])
        panel.append(
            Adjudicator(
                **of,
                adjudicator_id=identity,
                name=each["name"],
                is_chair=each.get("is_chair", False),
                is_trainee=each.get("is_trainee", False),
            )
        )
    speakers = [
        SpeakerResult(
            **of, decided_by=who, role=role, speaker=names[role], score=score, is_ghost=False
        )
        for who, ballot in scores.items()
        for role, score in ballot.items()
    ]
    teams = [
        TeamResult(
            **of,
            decided_by=who,
            house=house,
            team=written["teams"][house],
            team_rank=rank,
            points=4 - rank,
            is_swing=False,
        )
        for who, ranking in rankings.items()
        for rank, house in enumerate(ranking, start=1)
    ]
    info_slide = written.get("info_slide")
    about = AboutDebate(
        **of,
        **{name: written[name] for name in _AS_WRITTEN},
        info_slide=" ".join(info_slide.split()) if info_slide else None,
    )
    removal = removal_of(speeches, teams, speakers)
    return ParliamentaryDebate(about, speeches, teams, speakers, panel, removal)


def _ranking(ballot: Mapping[str, float]) -> list[str]:
    """Return the houses from first to fourth by one ballot's sums."""
    sums = house_sums(ballot)
    return sorted(HOUSES, key=lambda house: -sums[house])
