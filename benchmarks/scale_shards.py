"""How fast do runs in shards ask?

Rates are measured at an endpoint that answers after 50 ms, from the first answer to the last, so
that the start of workers does not count. The limit is concurrency / latency.
"""

import resource
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.endpoint import endpoint
from benchmarks.made_up_items import made_elsewhere
from benchmarks.processes import processor_s
from inference.experiments import load_experiment
from inference.journal import FILE_NAME, read_journal
from inference.registry import add_judge_text, spec_for
from inference.runner import RunSummary, run
from inference.shards.asking import Shards

NEEDS = "the extra of shards"
LATENCY_MS = 50.0


def asked(
    folder: Path, url: str, requests: int, concurrency: int, shards: Shards | None
) -> tuple[RunSummary, list[dict[str, Any]]]:
    """Run made-up speeches, and return what the run and its journal say."""
    settings = {"base_url": url, "concurrency": concurrency, "api_key_env": ""}
    judges = folder / "judges.toml"
    judges.write_text(add_judge_text("", "openai/stub", settings))
    summary = run(
        load_experiment("speech-score"),
        spec_for("openai/stub", judges, {}),
        [made_elsewhere(folder, requests)],
        journal_root=folder / "journal",
        shards=shards,
    )
    (journal,) = (folder / "journal").glob(f"*/{FILE_NAME}")
    return summary, [line for line in read_journal(journal) if line["kind"] == "answer"]


def measure(requests: int = 4000, concurrency: int = 128) -> dict[str, Any]:
    """Ask with one process and with 1, 2, 4 and 8 shards."""
    found: dict[str, Any] = {
        "requests": requests,
        "concurrency": concurrency,
        "latency_ms": LATENCY_MS,
        "limit_per_s": concurrency / LATENCY_MS * 1000,
    }
    with endpoint(LATENCY_MS) as url:
        for count in (0, 1, 2, 4, 8):
            shards = Shards(count) if count else None
            with tempfile.TemporaryDirectory() as folder:
                before = processor_s(resource.RUSAGE_SELF)
                summary, answers = asked(Path(folder), url, requests, concurrency, shards)
                used = processor_s(resource.RUSAGE_SELF) - before
            at = sorted(datetime.fromisoformat(line["answered_at"]) for line in answers)
            found[f"shards_{count}" if count else "one_process"] = {
                "per_s": round((len(at) - 1) / (at[-1] - at[0]).total_seconds(), 1),
                "seconds_in_all": round(summary.seconds, 1),
                "processor_s_of_the_first_process": round(used, 1),
            }
    return {**found, "variant": "throughput"}
