"""The inbox: a score file dropped there is imported, built and published by itself."""

import time
from collections.abc import Iterator

import dagster as dg

from orchestration.jobs import import_and_publish
from warehouse.home import find_home

SUFFIXES = (".jsonl", ".csv", ".parquet")
# A file that is still being written changes; one that has been still for so long is whole.
STILL_S = 2.0


@dg.sensor(
    job=import_and_publish,
    minimum_interval_seconds=10,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Imports score files (JSONL, CSV, Parquet) dropped into the home's inbox.",
)
def inbox_sensor() -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Ask for one import per file that has stopped changing."""
    inbox = find_home().inbox
    waiting = [
        path
        for path in sorted(inbox.iterdir() if inbox.is_dir() else [])
        if path.is_file() and path.suffix in SUFFIXES and not path.name.startswith(".")
    ]
    ready = [path for path in waiting if time.time() - path.stat().st_mtime > STILL_S]
    if not ready:
        yield dg.SkipReason(f"no score file in {inbox}")
    for path in ready:
        changed = path.stat()
        yield dg.RunRequest(
            # The same file again, unchanged, is not asked for twice; a new version is.
            run_key=f"{path.name}-{changed.st_size}-{changed.st_mtime_ns}",
            run_config={
                "ops": {
                    "sources__imported_scores": {"config": {"path": str(path), "from_inbox": True}}
                }
            },
        )
