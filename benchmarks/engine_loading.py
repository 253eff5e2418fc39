"""How long do 200,000 answers take into the warehouse, from a journal and from a file of verdicts?

Both are generated in a temporary home, and each is loaded in a process of its own. The limit beside
each is the time that one core takes to parse the JSON of its lines and do nothing with it. Instead,
one may let DuckDB read the lines into a table, with no reply parsed, no line checked and nothing
compared.
"""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from benchmarks.harness import Budget
from benchmarks.processes import apart, peak_mb, processor_s
from inference.journal import FILE_NAME, SCHEMA_VERSION
from ingestion.batch import SourceFile
from ingestion.dataset_batch import DatasetBatch
from ingestion.imports import import_file
from ingestion.journals import load_journals
from ingestion.load import load
from warehouse.home import Home
from warehouse.records.core import Dataset, Debate, Speech
from warehouse.records.speeches import Dimension

BUDGETS = (
    Budget(
        "200,000 answers from a journal into raw",
        8,
        "journal/processor_s",
        "s CPU",
        "journal/limit_s_json_alone",
        "journal/instead_s_duckdb_read_json",
    ),
    Budget("… and the memory of it", 500, "journal/peak_mb", "MB", "journal/peak_mb_before"),
)
ITEMS = 2_000
RUN = "speech-score--bench-model--0a1b2c3d"
REASONS = "The speech says why, with a figure and where it is from, and answers what was said. " * 6


def load_items(home: Home) -> None:
    """Load the items and debates that the answers are about."""
    numbers = range(ITEMS)
    load(
        home,
        DatasetBatch(
            dataset=Dataset("made-up", "Made-up debates", "CC0"),
            files=[SourceFile("made up", "made-up", "0", ITEMS)],
            records=[
                Dimension("made-up", "quality", "How good is it?", 1, 5),
                *(Debate(f"made-up:{n}", "made-up", f"Motion {n}", "speech") for n in numbers),
                *(
                    Speech(f"made-up:s{n}", "made-up", f"made-up:{n}", "Anna", f"Speech {n}. " * 50)
                    for n in numbers
                ),
            ],
            replaces=False,
        ),
    )


def write_journal(home: Home, answers: int) -> Path:
    """Write the journal of one run, every tenth answer with the probabilities of its labels."""
    folder = home.journal / RUN
    folder.mkdir(parents=True)
    header = {
        "schema_version": SCHEMA_VERSION,
        "kind": "run",
        "run_id": RUN,
        "experiment": "speech-score",
        "judge_id": "bench/model",
        "provider": "bench",
        "model": "model",
        "settings": {},
        "settings_hash": "0" * 16,
        "planned": answers,
        "code_version": "0",
        "started_at": "2026-01-01T00:00:00+00:00",
    }
    with (folder / FILE_NAME).open("w") as file:
        file.write(json.dumps(header) + "\n")
        for number in range(answers):
            score = 1 + number % 5
            line: dict[str, Any] = {
                "schema_version": SCHEMA_VERSION,
                "kind": "answer",
                "request_id": f"{number:032x}",
                "item_id": f"made-up:s{number % ITEMS}",
                "item_hash": "0" * 16,
                "dataset_id": "made-up",
                "dimension": "quality",
                "scale_min": 1,
                "scale_max": 5,
                "template": "speech_score_justified",
                "wording": "equivalent",
                "prompt_hash": "0" * 16,
                "sample": number // ITEMS,
                "response": f"<scratchpad>\n{REASONS}\n</scratchpad>\n<score>\n{score}\n</score>",
                "status": "answered",
                "error_kind": None,
                "error": None,
                "finish_reason": "stop",
                "tokens_in": 900,
                "tokens_out": 120,
                "latency_s": 0.75,
                "cost_usd": 0.0004,
                "answered_at": f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:"
                f"{number % 60:02}.000000+00:00",
            }
            if number % 10 == 0:
                line["labels"] = ["1", "2", "3", "4", "5"]
                line["label_logprobs"] = {"3": -0.7, "4": -0.9, "5": -3.0}
                line["label_logprob_ceiling"] = -4.0
            file.write(json.dumps(line) + "\n")
    return folder / FILE_NAME


def write_verdicts(home: Home, answers: int) -> Path:
    """Write a file of verdicts, each with the text it was read from."""
    path = home.root / "verdicts.jsonl"
    with path.open("w") as file:
        for number in range(answers):
            winner = ("pro", "con")[number % 2]
            row = {
                "item": f"made-up:{number % ITEMS}",
                "judge": "bench/model",
                "template": "winner",
                "pro_label": "A",
                "con_label": "B",
                "sample": number // ITEMS,
                "response": f'{REASONS}\n{{"winner": "{winner}"}}',
                "tokens_in": 900,
                "tokens_out": 120,
                "latency_s": 0.75,
                "cost_usd": 0.0004,
                "at": 1767225600 + number,
            }
            file.write(json.dumps(row) + "\n")
    return path


def loaded(path: Path, load: Callable[[], Any], answers: int) -> dict[str, Any]:
    """Return seconds, rates and memory of one load, and of only parsing its lines."""
    before = peak_mb()
    began, used = time.perf_counter(), processor_s(resource.RUSAGE_SELF)
    report = load()
    seconds = time.perf_counter() - began
    used = processor_s(resource.RUSAGE_SELF) - used
    peak = peak_mb()
    began = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    parsing = time.perf_counter() - began
    began = time.perf_counter()
    with duckdb.connect() as connection:
        connection.execute("create table lines as from read_json(?)", [str(path)])
    instead = time.perf_counter() - began
    assert report.new >= answers, report
    assert not report.quarantined, report.rejects[:3]
    return {
        "seconds": round(seconds, 2),
        "processor_s": round(used, 2),
        "rows_per_s": round(answers / seconds),
        "file_mb": round(path.stat().st_size / 1e6, 1),
        "limit_s_json_alone": round(parsing, 2),
        "times_the_limit": round(seconds / parsing, 1),
        "instead_s_duckdb_read_json": round(instead, 2),
        "peak_mb": round(peak),
        "peak_mb_before": round(before),
    }


def _loaded(kind: str, answers: int) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home").ensure()
        load_items(home)
        if kind == "journal":
            path = write_journal(home, answers)
            return loaded(path, lambda: load_journals(home), answers)
        path = write_verdicts(home, answers)
        return loaded(path, lambda: import_file(home, path), answers)


def measure(answers: int = 200_000) -> dict[str, Any]:
    """Load both, each in a process of its own."""
    found = {kind: apart(_loaded, kind, answers) for kind in ("journal", "verdict_file")}
    return {"answers": answers, **found}
