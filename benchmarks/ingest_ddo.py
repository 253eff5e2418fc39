"""How fast does a file in DDO's shape stream, and in how much memory?

The file is made up. Each side runs in a process of
its own: reading alone (every debate parsed, checked and filtered), the whole load into a
warehouse, and `json.load`, which one would run in the place of the reading.
"""

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.harness import Budget
from benchmarks.processes import apart, peak_mb

BUDGETS = (
    Budget(
        "reading 200 MB of DDO's debates: memory",
        200,
        "file/reading/peak_mb",
        "MB",
        "file/reading/peak_mb_before",
        "file/json_load/peak_mb",
    ),
)
SENTENCE = (
    "My opponent says that this cannot be so, and yet the figures of the last ten years say it. "
)
# Words of a debate of the release on average: 1,575.
SENTENCES_PER_TURN = 15


def write_debates(path: Path, megabytes: float) -> int:
    """Write a made-up debates.json of about this size and return how many debates it has."""
    count = size = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("{")
        while size < megabytes * 1e6:
            text = json.dumps({f"Debate-{count}/1/": _debate(count)})[1:-1]
            size += file.write((", " if count else "") + text)
            count += 1
        file.write("}")
    return count


def _debate(number: int) -> dict[str, Any]:
    criteria = ("Who had better conduct", "Made more convincing arguments", "Total points awarded")
    names = (f"ann{number}", f"ben{number}")
    winner = names[number % 2]
    votes = [
        {
            "user_name": f"v{n}",
            "votes_map": {
                name: {
                    each: 5 * (name == winner) if "Total" in each else name == winner
                    for each in criteria
                }
                for name in (*names, "Tied")
            },
        }
        for n in range(number % 9)
    ]
    return {
        "url": f"http://example.org/{number}",
        "category": "Science",
        "title": f"Claim {number}",
        "start_date": "3/14/2012",
        "number_of_rounds": 3,
        "number_of_votes": len(votes),
        "forfeit_label": number % 10 == 0,
        "forfeit_side": "",
        "participant_1_name": names[0],
        "participant_1_position": "Pro",
        "participant_2_name": names[1],
        "participant_2_position": "Con",
        "rounds": [
            [
                {"side": side, "text": f"{number} {place} {SENTENCE * SENTENCES_PER_TURN}"}
                for side in ("Pro", "Con")
            ]
            for place in range(3)
        ],
        "comments": [{"user_name": "v0", "time": "3 years ago", "comment_text": SENTENCE}] * 5,
        "votes": votes,
    }


def _read(path: Path) -> int:
    from ingestion.debates.readers.ddo import read_ddo
    from ingestion.debates.sources.ddo import VoteSettings
    from ingestion.reading import Reading
    from ingestion.sources.containers import opener_of

    opener = opener_of(path, None, str(path))
    return sum(1 for _ in read_ddo(opener, Reading(str(path)), VoteSettings()))


def _ingest(path: Path) -> int:
    from ingestion.ingest import ingest
    from warehouse.home import Home

    report = ingest(Home(path.parent / "home").ensure(), "ddo", path)
    return report.tables["debates"].new


def _json_load(path: Path) -> int:
    with path.open(encoding="utf-8") as file:
        return len(json.load(file))


SIDES = {"reading": _read, "whole_load": _ingest, "json_load": _json_load}


def _measured(side: str, path: Path) -> dict[str, Any]:
    before = peak_mb()
    began = time.perf_counter()
    debates = SIDES[side](path)
    seconds = time.perf_counter() - began
    megabytes = path.stat().st_size / 1e6
    return {
        "debates": debates,
        "seconds": round(seconds, 2),
        "mb_per_s": round(megabytes / seconds, 1),
        "peak_mb": round(peak_mb()),
        "peak_mb_before": round(before),
    }


def measure(mb: float = 200.0) -> dict[str, Any]:
    """Measure each side on the file and on one a quarter as large."""
    found: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        # Memory that is bounded does not grow with the file.
        for name, size in (("quarter", mb / 4), ("file", mb)):
            path = Path(folder) / name / "debates.json"
            path.parent.mkdir()
            debates = write_debates(path, size)
            found[name] = {"mb": round(path.stat().st_size / 1e6, 1)}
            for side in SIDES:
                found[name][side] = apart(_measured, side, path)
                assert found[name][side]["debates"] == debates
    return found
