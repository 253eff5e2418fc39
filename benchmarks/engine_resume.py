"""How long does a run of 200,000 answered requests take to find nothing to ask?

The judge is one behind an endpoint
that does not exist: a fully answered run asks nobody. The limit is reading the journal and the
items once from memory. Instead, a script may keep the ids of the lines that have an answer, and
trust that nothing else has changed since.
"""

import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.endpoint import CONTENT
from benchmarks.harness import Budget
from benchmarks.made_up_items import made_elsewhere
from benchmarks.processes import peak_mb, processor_s
from inference.experiments import load_experiment
from inference.items import ItemSource
from inference.journal import FILE_NAME, SCHEMA_VERSION
from inference.judges.base import Reply
from inference.kinds.parts import ANSWERED
from inference.plan import plan_runs
from inference.registry import JudgeSpec, add_judge_text, spec_for
from inference.runner import run
from inference.runs.lines import answer_line, timestamp

BUDGETS = (
    Budget(
        "200,000 answered requests found answered",
        10,
        "processor_s",
        "s CPU",
        "limit_s",
        "instead_s_ids_alone",
    ),
)
EXPERIMENT = load_experiment("speech-score")


def write_journal(spec: JudgeSpec, source: ItemSource, root: Path) -> Path:
    """Write the journal of a whole run, as the engine would have."""
    (plan,) = plan_runs(EXPERIMENT, spec, [source], journal_root=root)
    folder = root / plan.run_id
    folder.mkdir(parents=True)
    path = folder / FILE_NAME
    reply = Reply(CONTENT, finish_reason="stop", tokens_in=900, tokens_out=5)
    with path.open("w") as file:
        lines = [{"kind": "run", **plan.header, "started_at": timestamp()}]
        file.write(json.dumps({"schema_version": SCHEMA_VERSION, **lines[0]}) + "\n")
        for request_id, request in plan.requests.items():
            line = answer_line(request_id, request, reply, 0.4)
            file.write(json.dumps({"schema_version": SCHEMA_VERSION, **line}) + "\n")
        end = {"kind": "end", "status": "complete", "ended_at": timestamp()}
        file.write(json.dumps({"schema_version": SCHEMA_VERSION, **end}) + "\n")
    return path


def measure(requests: int = 200_000) -> dict[str, Any]:
    """Write a whole journal, and run its experiment again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = made_elsewhere(folder, requests)
        judges = folder / "judges.toml"
        nowhere = {"base_url": "http://127.0.0.1:9/v1", "api_key_env": ""}
        judges.write_text(add_judge_text("", "openai/stub", nowhere))
        spec = spec_for("openai/stub", judges, {})
        path = write_journal(spec, source, folder / "journal")
        began, used = time.perf_counter(), processor_s(resource.RUSAGE_SELF)
        summary = run(EXPERIMENT, spec, [source], journal_root=folder / "journal", environ={})
        seconds = time.perf_counter() - began
        used = processor_s(resource.RUSAGE_SELF) - used
        assert (summary.status, summary.already_answered) == ("complete", requests)
        began = time.perf_counter()
        read = len(path.read_bytes()) + len(source.items_file.read_bytes())
        limit = time.perf_counter() - began
        began = time.perf_counter()
        with path.open() as file:
            lines = map(json.loads, file)
            answered = {line["request_id"] for line in lines if line.get("status") == ANSWERED}
        instead = time.perf_counter() - began
        assert len(answered) == requests
        return {
            "requests": requests,
            "seconds": round(seconds, 2),
            "processor_s": round(used, 2),
            "per_s": round(requests / seconds),
            "limit_s": round(limit, 3),
            "instead_s_ids_alone": round(instead, 2),
            "bytes_read": read,
            "peak_mb": round(peak_mb()),
        }
