"""The inbox: a file of answers dropped there is imported, built and published by itself."""

import time
from collections.abc import Iterator

import dagster as dg

from orchestration.jobs import import_and_publish
from orchestration.loading_assets import has_loads, tell_loads
from warehouse.home import find_home

SUFFIXES = (".jsonl", ".csv", ".parquet", ".eval", ".json")
# A file that is still being written changes; one that has been still for so long is whole.
STILL_S = 2.0
TRIES = 3
INBOX_TAG = "rostrum/inbox"


@dg.sensor(
    job=import_and_publish,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Imports files of scores, verdicts, verified transcripts and what people judged "
    "that are dropped into the home's inbox.",
)
def inbox_sensor(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Ask for one import per file that has stopped changing.

    An import that fails for a passing reason leaves its file, and is asked for again a few times. A
    file that is refused is moved away by the import itself. On the way Dagster hears what commands
    have loaded without it.
    """
    home = find_home()
    # Dagster opens its storage for the instance, which costs more than all the rest of a tick.
    if has_loads(home):
        tell_loads(home, context.instance)
    inbox = home.inbox
    waiting = [
        path
        for path in sorted(inbox.iterdir() if inbox.is_dir() else [])
        if path.is_file()
        and path.suffix in SUFFIXES
        and not path.name.startswith(".")
        # What lies beside lm-eval's samples, and is read with them.
        and not (path.name.startswith("results_") and path.suffix == ".json")
    ]
    ready = [path for path in waiting if time.time() - path.stat().st_mtime > STILL_S]
    requests, given_up = [], []
    for path in ready:
        facts = path.stat()
        # The same bytes are the same key: no file is imported twice at once.
        key = f"{path.name}-{facts.st_size}-{facts.st_mtime_ns}"
        failures = context.instance.get_runs_count(
            dg.RunsFilter(tags={INBOX_TAG: key}, statuses=[dg.DagsterRunStatus.FAILURE])
        )
        if failures >= TRIES:
            given_up.append(path.name)
            continue
        requests.append(
            dg.RunRequest(
                run_key=f"{key}-{failures}",
                tags={INBOX_TAG: key},
                run_config={"ops": {"sources__imports": {"config": {"path": str(path)}}}},
            )
        )
    yield from requests
    if not requests:
        failed = f"; given up after {TRIES} tries: {', '.join(given_up)}" if given_up else ""
        yield dg.SkipReason(f"no new score file in {inbox}{failed}")
