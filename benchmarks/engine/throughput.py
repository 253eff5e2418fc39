"""How fast the engine asks: beside a bare client loop, a sequential one, and Inspect AI.

Run `python -m benchmarks.engine.throughput [--requests 5000] [--pairs 5] [--inspect PYTHON]`, where
PYTHON is the interpreter of an environment with `inspect_ai`. Every client is a process of its own
against one endpoint that answers after 50 ms, in turn; the median of the ratios counts. The engine
does all it always does: plans, paces, parses, and tells no answer before its fsync. The limit is
concurrency / latency.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.engine.clients import CLIENTS
from benchmarks.engine.endpoint import endpoint
from benchmarks.report import write_result

LATENCY_MS = 50.0
CONCURRENCY = 64
# A sequential loop's rate needs no five thousand requests.
SEQUENTIAL_REQUESTS = 200


def run_client(
    name: str, url: str, requests: int, python: str = sys.executable
) -> dict[str, float]:
    """Run a client in a process of its own and return what it measured of itself."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            python,
            "-m",
            "benchmarks.engine.clients",
            name,
            "--url",
            url,
            "--requests",
            str(requests),
            "--concurrency",
            str(CONCURRENCY),
            "--folder",
            folder,
        ]
        environ = os.environ | {"OPENAI_API_KEY": "none", "PYTHONPATH": str(Path.cwd())}
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environ)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--inspect", help="an interpreter that has inspect_ai")
    options = parser.parse_args()
    found: dict[str, list[dict[str, float]]] = {name: [] for name in CLIENTS}
    with endpoint(LATENCY_MS) as url:
        for _ in range(options.pairs):
            for name in ("bare", "engine"):
                found[name].append(run_client(name, url, options.requests))
                print(name, found[name][-1], flush=True)
        found["sequential"].append(run_client("sequential", url, SEQUENTIAL_REQUESTS))
        if options.inspect:
            found["inspect"].append(
                run_client("inspect", url, min(options.requests, 2000), options.inspect)
            )
    result: dict[str, Any] = {
        "requests": options.requests,
        "concurrency": CONCURRENCY,
        "latency_ms": LATENCY_MS,
        "limit_per_s": CONCURRENCY / LATENCY_MS * 1000,
    }
    for name, runs in found.items():
        if runs:
            result[f"{name}_per_s"] = statistics.median(run["per_s"] for run in runs)
            result[f"{name}_peak_mb"] = statistics.median(run["peak_mb"] for run in runs)
    result["engine_to_bare"] = statistics.median(
        engine["per_s"] / bare["per_s"]
        for engine, bare in zip(found["engine"], found["bare"], strict=True)
    )
    for name in ("sequential", "inspect"):
        if found[name]:
            result[f"engine_to_{name}"] = result["engine_per_s"] / result[f"{name}_per_s"]
    write_result("engine_throughput", result)


if __name__ == "__main__":
    main()
