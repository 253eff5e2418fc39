"""The sample's parliamentary debates as a source: written texts and made-up tabs."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inference.parliamentary.items import HOUSE_OF, HOUSES
from ingestion import sample
from ingestion.batch import SourceFile
from ingestion.parliamentary.batch import ParliamentaryBatch, ParliamentaryDebate
from ingestion.parliamentary.rules import RULES, removal_of
from warehouse.records.core import Dataset, Speech
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
    is_sample=True,
)
FOLDER = Path(sample.__file__).parent / "parliamentary"
_SHOWN, _LABEL = "the bundled sample parliamentary debates", "ingestion/sample/parliamentary"


def sample_parliamentary_batch() -> ParliamentaryBatch:
    """Return the bundled debates. They have no file, so their hash is that of their texts."""
    paths = sorted(FOLDER.glob("*.toml"))
    # Line ends are those of the platform the project was fetched on; texts are not.
    texts = [path.read_text(encoding="utf-8") for path in paths]
    debates = [
        _debate(path.stem.replace("_", "-"), tomllib.loads(text))
        for path, text in zip(paths, texts, strict=True)
    ]
    sha256 = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    return ParliamentaryBatch(
        dataset=DATASET,
        files=[SourceFile(_SHOWN, _LABEL, sha256, len(debates))],
        debates=debates,
        rules=RULES,
    )


def _debate(slug: str, written: Mapping[str, Any]) -> ParliamentaryDebate:
    debate_id = f"{NAME}:{slug}"
    said = written["speeches"]
    speeches = [
        Speech(
            item_id=f"{debate_id}/{each['role']}",
            dataset_id=NAME,
            debate_id=debate_id,
            source="Rostrum sample",
            text=" ".join(each["text"].split()),
            speech_order=place,
            round=each["role"].upper(),
            speaker=each["speaker"],
            speaker_role="debater",
            role=each["role"],
        )
        for place, each in enumerate(said, start=1)
    ]
    names = {each["role"]: each["speaker"] for each in said}
    scores = {PANEL: {each["role"]: each["score"] for each in said}}
    panel = []
    for each in written["adjudicators"]:
        identity = f"{NAME}:{each['name'].casefold().replace(' ', '-')}"
        if "ballot" in each:
            scores[identity] = each["ballot"]
        panel.append(
            Adjudicator(
                debate_id=debate_id,
                dataset_id=NAME,
                adjudicator_id=identity,
                name=each["name"],
                is_chair=each.get("is_chair", False),
                is_trainee=each.get("is_trainee", False),
            )
        )
    speakers = [
        SpeakerResult(
            debate_id=debate_id,
            dataset_id=NAME,
            decided_by=who,
            role=role,
            speaker=names[role],
            score=score,
            is_ghost=False,
        )
        for who, ballot in scores.items()
        for role, score in ballot.items()
    ]
    teams = [
        TeamResult(
            debate_id=debate_id,
            dataset_id=NAME,
            decided_by=who,
            house=house,
            team=written["teams"][house],
            team_rank=rank,
            points=4 - rank,
            is_swing=False,
        )
        for who, ballot in scores.items()
        for rank, house in enumerate(
            written["ranking"] if who == PANEL else _ranking(ballot), start=1
        )
    ]
    info_slide = written.get("info_slide")
    about = AboutDebate(
        debate_id=debate_id,
        dataset_id=NAME,
        motion=written["motion"],
        info_slide=" ".join(info_slide.split()) if info_slide else None,
        tournament=written["tournament"],
        round=written["round"],
        room=written["room"],
        is_contentious=written["is_contentious"],
    )
    removal = removal_of(speeches, teams, speakers)
    return ParliamentaryDebate(about, speeches, teams, speakers, panel, removal)


def _ranking(ballot: Mapping[str, float]) -> list[str]:
    """Return the houses from first to fourth by one ballot's sums."""
    sums = {
        house: sum(ballot[role] for role, own in HOUSE_OF.items() if own == house)
        for house in HOUSES
    }
    return sorted(HOUSES, key=lambda house: -sums[house])
