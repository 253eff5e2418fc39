"""Parliamentary debates and DebateBench's files, made up for the tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from ingestion.batch import SourceFile
from ingestion.parliamentary.batch import (
    RULES,
    ParliamentaryBatch,
    ParliamentaryDebate,
    removal_of,
)
from warehouse.records.bp import HOUSES, ROLES
from warehouse.records.core import Dataset, Speech
from warehouse.records.parliamentary import PANEL, AboutDebate, SpeakerResult, TeamResult

MADE = Dataset("made-bp", "Made-up debates", "none")
# In the workbook's own order, which is not the one in which they speak.
HEADER = (
    "Tourney",
    *["PM", "DPM", "LO", "DLO", "MG", "GW", "MO", "OW", "First", "Second", "Third", "Fourth"],
)


def tagged(said: str = "the case", order: Sequence[str] = ROLES) -> str:
    """A transcript with a short speech of each role."""
    return "\n\n".join(
        f"<{role.upper()}>\nThe {role} on {said}.\n</{role.upper()}>" for role in order
    )


def row(title: str, **changes: Any) -> dict[str, Any]:
    """One valid row of the workbook: CG before OG, OO and CO, with the scores to show for it."""
    scores = {"PM": 76, "DPM": 75, "LO": 74, "DLO": 75, "MG": 79, "GW": 78, "MO": 73, "OW": 74}
    places = {"First": "CG", "Second": "OG", "Third": "OO", "Fourth": "CO"}
    return {"Tourney": title, **scores, **places, **changes}


def workbook(path: Path, rows: Sequence[Mapping[str, Any]], header: Sequence[str] = HEADER) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(list(header))
    for each in rows:
        sheet.append([each.get(name) for name in header])
    book.save(path)
    return path


def release(
    folder: Path, rows: Sequence[Mapping[str, Any]], transcripts: Mapping[str, str]
) -> Path:
    """A folder as DebateBench is released: the workbook, and a folder of text files."""
    speeches = folder / "Cleaned Speeches"
    speeches.mkdir(parents=True, exist_ok=True)
    workbook(folder / "scores.xlsx", rows)
    for name, text in transcripts.items():
        (speeches / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def made_debate(name: str = "one", said: str = "the case", **about: Any) -> ParliamentaryDebate:
    """A whole debate with a result, as a source makes it."""
    debate_id = f"{MADE.dataset_id}:{name}"
    of = {"debate_id": debate_id, "dataset_id": MADE.dataset_id}
    speeches = [
        Speech(
            **of,
            item_id=f"{debate_id}/{role}",
            source="made",
            text=f"The {role} on {said}.",
            speech_order=place,
            round=role.upper(),
            role=role,
            speaker_role="debater",
        )
        for place, role in enumerate(ROLES, start=1)
    ]
    teams = [
        TeamResult(**of, decided_by=PANEL, house=house, team=f"Team {house}", team_rank=rank)
        for rank, house in enumerate(HOUSES, start=1)
    ]
    speakers = [
        SpeakerResult(
            **of, decided_by=PANEL, role=role, speaker=f"Speaker {role}", score=70 + place
        )
        for place, role in enumerate(ROLES)
    ]
    debate = AboutDebate(**of, **{"motion": "This house would mend the bridge"} | about)
    removal = removal_of(speeches, teams, speakers)
    return ParliamentaryDebate(debate, speeches, teams, speakers, removal=removal)


def made_batch(*debates: ParliamentaryDebate, **changes: Any) -> ParliamentaryBatch:
    file = SourceFile("made.json", "landing/made.json", "0" * 64, max(len(debates), 1))
    return ParliamentaryBatch(MADE, [file], debates, RULES, **changes)
