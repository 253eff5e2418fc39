"""Input files made up for the fault tests: a first version, and one with changed rows."""

import csv
import random
from pathlib import Path
from typing import Any

SPEECHES, RATERS, TOPICS = 12, 6, 4


def write_inputs(folder: Path) -> Path:
    """Write `first/` and `changed/` with a `speeches.csv` and a `scores.csv` each."""
    first, changed = _speeches(1), _speeches(2)
    for speech in changed[3:]:
        # Nine keep their text, three are updates; one is new.
        speech["text"] = next(s["text"] for s in first if s["id"] == speech["id"])
    changed.append(
        {**changed[0], "id": "speech-new", "text": "A speech that was not there before."}
    )
    _write(folder / "first" / "speeches.csv", first)
    _write(folder / "changed" / "speeches.csv", changed)
    _write(folder / "first" / "scores.csv", _scores(first, 3))
    _write(folder / "changed" / "scores.csv", _scores(first, 4))
    return folder


def _speeches(seed: int) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    raters = [9000 + number for number in range(RATERS)]
    return [
        {
            "id": f"speech-{number}",
            "topic_id": 100 + number % TOPICS,
            "topic": f"We should try thing {number % TOPICS}",
            "source": ("Ann", "Ben", "Cleo")[number % 3],
            "text": " ".join(draw.choices(["this", "house", "would", "rather", "not"], k=40)),
            "goodopeningspeech": str([draw.randint(1, 5) for _ in raters]),
            "#labelers": RATERS,
            "labeler_ids": str(raters),
        }
        for number in range(SPEECHES)
    ]


def _scores(speeches: list[dict[str, Any]], value: int) -> list[dict[str, Any]]:
    return [
        {
            "item": f"speeches:{speech['id']}",
            "judge": "elsewhere/model",
            "dimension": "goodopeningspeech",
            "value": value,
            "at": "2026-01-01T00:00:00Z",
        }
        for speech in speeches
    ]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
