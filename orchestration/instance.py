"""The home's own Dagster instance, shared by the command line and the web interface."""

from __future__ import annotations

import json
import os

import dagster as dg

from warehouse.files import write_atomically
from warehouse.home import Home

PID_TAG = "rostrum/pid"

# DefaultRunCoordinator starts a run at once; the queue would add ten seconds to each. No pool:
# after a killed run its slot stays taken for ever.
_SETTINGS = """\
telemetry: {{enabled: false}}
nux: {{enabled: false}}
run_coordinator:
  module: dagster.core.run_coordinator
  class: DefaultRunCoordinator
event_log_storage:
  module: orchestration.event_log
  class: EventLog
  config: {{base_dir: {events}}}
"""


def prepare_instance(home: Home) -> None:
    """Write the instance's settings, if they are not there, and point Dagster at them."""
    path = home.dagster / "dagster.yaml"
    # A JSON string is one of YAML as well, whatever the folder's name.
    settings = _SETTINGS.format(events=json.dumps(str(home.dagster / "history" / "runs")))
    if not path.exists() or path.read_text(encoding="utf-8") != settings:
        write_atomically(path, settings.encode())
    os.environ["DAGSTER_HOME"] = str(home.dagster)
    os.environ["ROSTRUM_HOME"] = str(home.root)
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")


def open_instance(home: Home) -> dg.DagsterInstance:
    """Open the home's instance, closing the books of runs whose process is gone."""
    prepare_instance(home)
    instance = dg.DagsterInstance.from_config(str(home.dagster))
    reap_dead_runs(instance)
    return instance


def reap_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """Mark runs as failed whose process no longer exists, and return their ids.

    A run killed with -9 would stay STARTED for ever and look alive in the web interface.
    """
    unfinished = instance.get_runs(
        filters=dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING])
    )
    dead = [run for run in unfinished if (pid := run.tags.get(PID_TAG)) and not _is_alive(int(pid))]
    for run in dead:
        instance.report_run_failed(
            run, "the process of this run is gone; what it had journalled is kept: run it again"
        )
    return [run.run_id for run in dead]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def tag_process(context: dg.AssetExecutionContext | dg.OpExecutionContext) -> None:
    """Write this process's number on the run, so that a later start can tell whether it died."""
    context.instance.add_run_tags(context.run_id, {PID_TAG: str(os.getpid())})
