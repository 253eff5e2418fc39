"""Debatable questions, passages and answers in the released shapes, made up for the tests."""

import hashlib
import zipfile
from pathlib import Path
from typing import Any

from ingestion.ingest import ingest
from ingestion.raw_tables import LoadReport
from tests.ingestion.ingestion_files import write_jsonl
from warehouse.home import Home

MODEL = "acme/writer"
PASSAGES = "passages_and_index_of_POV_00.jsonl"


def question(number: int, **changes: Any) -> dict[str, Any]:
    """One valid record of the released shape: three perspectives."""
    row = {
        "id": number,
        "question": f"Should village {number} keep its fountain?",
        "partial_answers": [perspective(number, place) for place in (1, 2, 3)],
    }
    return {**row, **changes}


def perspective(number: int, place: int, **changes: Any) -> dict[str, Any]:
    row = {
        "point_of_view": f"View {place} of village {number}",
        "explanation": f"People of kind {place} say the water matters.\nThey live there.",
    }
    return {**row, **changes}


def passages(number: int, **changes: Any) -> dict[str, Any]:
    """One record of a raw file: two documents, and what each perspective was drawn from."""
    row = {
        "question": f"Should village {number} keep its fountain?",
        "ranked_retrieve_docs": [document(number, place) for place in (1, 2)],
        "partial_answers": [
            perspective(number, 1, index=[1]),
            perspective(number, 2, index=[1, 2]),
            perspective(number, 3, index=2),
        ],
    }
    return {**row, **changes}


def document(number: int, place: int, **changes: Any) -> dict[str, Any]:
    row = {
        "title": f"Fountains, part {place}",
        "url": f"https://water.example.org/{number}/{place}",
        "text": f"Text {place} about village {number}.",
    }
    return {**row, **changes}


def questions(count: int = 4) -> list[dict[str, Any]]:
    return [question(number) for number in range(1, count + 1)]


def release(folder: Path, files: dict[str, list[dict[str, Any]]]) -> Path:
    """Write a folder as the repository has it."""
    for name, rows in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_jsonl(path, rows)
    return folder


def zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, Path("DebateQA-main") / file.relative_to(folder))
    return path


def load(
    home: Home, tmp_path: Path, rows: list[dict[str, Any]], name: str = "test.jsonl", **options: Any
) -> LoadReport:
    return ingest(home, "debateqa", write_jsonl(tmp_path / name, rows), **options)


def released(number: int, text: str = "Some say yes, some say no.", **more: Any) -> dict[str, Any]:
    """One answer in the released form, its fields in the released order."""
    return {"generation": text, "id": number, **more}


def reply(number: int, **changes: Any) -> dict[str, Any]:
    """One answer in Rostrum's own columns."""
    row = {
        "question": f"debateqa:{number}",
        "judge": MODEL,
        "response": "Some say yes, some say no.",
    }
    return {**row, **changes}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
