"""Parliamentary debates and DebateBench's files, made up for the tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from ingestion.batch import SourceFile
from ingestion.parliamentary.batch import RULES, ParliamentaryBatch, ParliamentaryDebate
from ingestion.parliamentary.tab import Room, Sheet, SpeechLine, Team, debate_of, ranking
from ingestion.parliamentary.tagged import TaggedSpeech
from ingestion.reading import Reading
from warehouse.records.bp import HOUSES, ROLES
from warehouse.records.core import Dataset

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
    lines = {role: SpeechLine(f"Speaker {role}", 70 + place) for place, role in enumerate(ROLES)}
    room = Room(
        identity=name,
        about={"motion": "This house would mend the bridge"} | about,
        teams={house: Team(f"Team {house}") for house in HOUSES},
        sheets=[Sheet(ranking(HOUSES), lines)],
        speeches=[TaggedSpeech(role, f"The {role} on {said}.") for role in ROLES],
        speech_source="made",
    )
    return debate_of(MADE.dataset_id, room, Reading("made.json"))


def made_batch(*debates: ParliamentaryDebate, **changes: Any) -> ParliamentaryBatch:
    file = SourceFile("made.json", "landing/made.json", "0" * 64, max(len(debates), 1))
    return ParliamentaryBatch(MADE, [file], debates, RULES, **changes)
