"""The sample's parliamentary debates as a source: written texts and made-up tabs."""

from collections.abc import Mapping, Sequence
from typing import Any

from ingestion.parliamentary.batch import RULES, ParliamentaryBatch
from ingestion.parliamentary.tab import (
    Room,
    Seat,
    Sheet,
    SpeechLine,
    Team,
    debate_of,
    ranking,
    ranking_by_sums,
)
from ingestion.parliamentary.tagged import TaggedSpeech
from ingestion.reading import Reading
from ingestion.sample.texts import written_texts
from warehouse.records.bp import house_sums
from warehouse.records.core import Dataset

NAME = "sample-parliamentary"
DATASET = Dataset(
    dataset_id=NAME,
    title="Rostrum sample parliamentary debates (written for this project, not real data)",
    licence="Apache-2.0",
    citation="Debates and tabs written for the Rostrum project.",
)


def sample_parliamentary_batch() -> ParliamentaryBatch:
    """Return the bundled debates."""
    texts, file = written_texts("parliamentary", "the bundled sample parliamentary debates")
    reading = Reading(file.shown)
    debates = [debate_of(NAME, _room(slug, written), reading) for slug, written in texts.items()]
    return ParliamentaryBatch(DATASET, [file], debates, RULES)


def _room(slug: str, written: Mapping[str, Any]) -> Room:
    speeches = written["speeches"]
    speakers = {each["role"]: each["speaker"] for each in speeches}

    def sheet(
        scores: Mapping[Any, float], houses: Sequence[str], adjudicator: str | None = None
    ) -> Sheet:
        lines = {role: SpeechLine(speakers[role], score, False) for role, score in scores.items()}
        return Sheet(ranking(houses, has_points=True), lines, adjudicator)

    sheets = [sheet({each["role"]: each["score"] for each in speeches}, written["ranking"])]
    seats = []
    for each in written["adjudicators"]:
        identity = each["name"].casefold().replace(" ", "-")
        is_chair, is_trainee = each.get("is_chair", False), each.get("is_trainee", False)
        seats.append(Seat(identity, each["name"], is_chair, is_trainee))
        if ballot := each.get("ballot"):
            sheets.append(sheet(ballot, ranking_by_sums(house_sums(ballot)) or [], identity))
    about = ("motion", "tournament", "round", "room", "is_contentious")
    info_slide = " ".join(written.get("info_slide", "").split()) or None
    return Room(
        identity=slug,
        about={name: written[name] for name in about} | {"info_slide": info_slide},
        teams={house: Team(name, False) for house, name in written["teams"].items()},
        panel=seats,
        sheets=sheets,
        speeches=[
            TaggedSpeech(each["role"], " ".join(each["text"].split()), each["speaker"])
            for each in speeches
        ],
        speech_source="Rostrum sample",
    )
