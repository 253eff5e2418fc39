"""What runs in shards cost when workers and nodes die, and how fast they ask.

Run `python -m benchmarks.scale.shards kills|nodes|throughput`. Requests are counted at an endpoint
that answers after 20 ms; rates are measured at one that answers after 50 ms, from the first answer
to the last, so that the start of workers is told apart. Their limit is concurrency / latency.
"""

import argparse
import resource
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.engine.endpoint import endpoint
from benchmarks.engine.made_up import made_elsewhere
from benchmarks.processes import processor_s
from benchmarks.report import write_result
from inference.experiments import load_experiment
from inference.journal import FILE_NAME, read_journal
from inference.registry import add_judge_text, spec_for
from inference.runner import RunSummary, run
from inference.shards.asking import Shards
from tests.inference.scripted import Scripted, kill_a_worker

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


def deaths(count: int, every: int, kill: Callable[[], object], shards: Shards) -> dict[str, Any]:
    """Kill something after every so many requests, and count what was asked."""
    requests = (count + 2) * every
    scripted = Scripted()
    scripted.at = {every * (number + 1): kill for number in range(count)}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        summary, answers = asked(Path(folder), scripted.url, requests, 8, shards)
    sent = scripted.asked()
    scripted.close()
    ids = {line["request_id"] for line in answers}
    return {
        "killed": count - len(scripted.at),
        "shards": shards.count,
        "requests": requests,
        "in_flight_at_most": 8,
        "asked_twice": sum(sent.values()) - len(sent),
        "answered_and_asked_again": len(answers) - len(ids),
        "answers_lost": requests - len(ids),
        "status": summary.status,
        "seconds": round(time.monotonic() - began, 1),
    }


def worker_kills() -> dict[str, Any]:
    """Kill twenty workers of one run, each as it asks."""
    return deaths(20, 40, kill_a_worker, Shards(3))


def node_kills() -> dict[str, Any]:
    """Kill a node of a Ray cluster of a head and two in each of five runs, and add another."""
    import ray
    from ray.cluster_utils import Cluster

    memory = 80 * 1024 * 1024
    head = {"num_cpus": 0, "object_store_memory": memory, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=2, object_store_memory=memory)
    ray.init(address=cluster.address, log_to_driver=False)

    def kill_a_node() -> None:
        node = next(iter(cluster.worker_nodes))
        threading.Thread(target=cluster.remove_node, args=(node, False)).start()

    found: list[dict[str, Any]] = []
    try:
        for _ in range(5):
            cluster.add_node(num_cpus=2, object_store_memory=memory)
            found.append(deaths(1, 60, kill_a_node, Shards(3, on="ray")))
            print(found[-1], flush=True)
    finally:
        ray.shutdown()
        cluster.shutdown()
    added = {
        name: sum(each[name] for each in found)
        for name, value in found[0].items()
        if name not in ("shards", "status", "in_flight_at_most")
    }
    return {**found[0], **added, "status": sorted({each["status"] for each in found})}


def throughput(requests: int, concurrency: int) -> dict[str, Any]:
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
    return found


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["kills", "nodes", "throughput"])
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--concurrency", type=int, default=128)
    options = parser.parse_args()
    measured: dict[str, Callable[[], dict[str, Any]]] = {
        "kills": worker_kills,
        "nodes": node_kills,
        "throughput": lambda: throughput(options.requests, options.concurrency),
    }
    write_result("scale_shards", measured[options.what](), options.what)


if __name__ == "__main__":
    main()
