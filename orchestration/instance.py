"""The home's own Dagster instance, shared by the command line and the web interface.

Its runs and events are in SQLite within the home, or, where `ROSTRUM_DAGSTER_POSTGRES` names one,
in a Postgres database that the parts of a team's Rostrum share.
"""

import json
import os
import socket
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dagster as dg
import yaml
from sqlalchemy.exc import SQLAlchemyError

from orchestration.errors import BadInstance
from orchestration.loading_assets import tell_loads
from orchestration.servers.services import LAUNCHER
from warehouse.files import write_atomically
from warehouse.home import Home

PID_TAG = "rostrum/pid"
HOST_TAG = "rostrum/host"
# Where Dagster keeps runs and events; the same with _FILE names a file that holds it, as secrets of
# containers are given.
POSTGRES = "ROSTRUM_DAGSTER_POSTGRES"
# s3://bucket/prefix for what runs print; the home's folder without it.
LOGS = "ROSTRUM_DAGSTER_LOGS"
# How many runs that are started in the web interface or by a sensor go on at a time.
RUNS = "ROSTRUM_DAGSTER_RUNS"
_RUNS_AT_A_TIME = 4
# A YAML file with the module, class and config of the launcher that gives each run a place of its
# own, as Dagster's settings have it under run_launcher; a process beside the code without it.
# SQLAlchemy 2.1 takes plain postgresql:// for psycopg 3, which Dagster does not use.
_DRIVER = "postgresql+psycopg2"
# No asset has a condition under which it is made by itself, so no part of the daemon looks for any.
_COMMON: dict[str, Any] = {
    "telemetry": {"enabled": False},
    "nux": {"enabled": False},
    "auto_materialize": {"enabled": False, "use_sensors": False},
}


def prepare_instance(home: Home) -> None:
    """Write the instance's settings, if they are not there, and point Dagster at them."""
    path = home.dagster / "dagster.yaml"
    # JSON is YAML, too.
    settings = json.dumps(_shared() if _read_address() else _embedded(home), indent=2)
    if not path.exists() or path.read_text(encoding="utf-8") != settings:
        write_atomically(path, settings.encode())
    os.environ["DAGSTER_HOME"] = str(home.dagster)
    os.environ["ROSTRUM_HOME"] = str(home.root)
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")


def _embedded(home: Home) -> dict[str, Any]:
    """Return the settings of an instance in the home.

    DefaultRunCoordinator starts a run at once; the queue would add ten seconds to each. No pool:
    after a killed run its slot stays taken for ever.
    """
    return {
        **_COMMON,
        "run_coordinator": {
            "module": "dagster.core.run_coordinator",
            "class": "DefaultRunCoordinator",
        },
        "event_log_storage": {
            "module": "orchestration.event_log",
            "class": "EventLog",
            "config": {"base_dir": str(home.dagster / "history" / "runs")},
        },
        "compute_logs": {
            "module": "orchestration.compute_logs",
            "class": "ComputeLogs",
            "config": {"base_dir": str(home.dagster / "storage")},
        },
    }


def _shared() -> dict[str, Any]:
    """Return the settings of an instance in Postgres. Its password stays in the environment."""
    _need("dagster_postgres", POSTGRES)
    runs = os.environ.get(RUNS) or str(_RUNS_AT_A_TIME)
    if not runs.isdecimal() or int(runs) < 1:
        raise BadInstance(f"dagster: {RUNS} is {runs!r}; give a number of runs, such as 4")
    settings = {
        **_COMMON,
        "storage": {"postgres": {"postgres_url": {"env": POSTGRES}}},
        "run_coordinator": {
            "module": "dagster.core.run_coordinator",
            "class": "QueuedRunCoordinator",
            "config": {
                "max_concurrent_runs": int(runs),
                "dequeue_interval_seconds": 1,
                # Without these a run fails whose turn comes before the daemon has the definitions,
                # or while the part that has them is started again: ten minutes.
                "max_user_code_failure_retries": 60,
                "user_code_failure_retry_delay": 10,
            },
        },
        # Without it a run that was killed keeps its slot of a pool for ever (dagster#33643).
        "run_monitoring": {
            "enabled": True,
            "free_slots_after_run_end_seconds": 15,
            "poll_interval_seconds": 15,
            # A run's process imports for as long as a busy machine takes.
            "start_timeout_seconds": 600,
        },
    }
    if launcher := os.environ.get(LAUNCHER):
        settings["run_launcher"] = _read_launcher(Path(launcher))
    if logs := os.environ.get(LOGS):
        _need("dagster_aws", LOGS)
        where = urlsplit(logs)
        if where.scheme != "s3" or not where.netloc:
            raise BadInstance(f"dagster: {LOGS} is {logs!r}; give a place such as s3://bucket/logs")
        settings["compute_logs"] = {
            "module": "dagster_aws.s3.compute_log_manager",
            "class": "S3ComputeLogManager",
            "config": {"bucket": where.netloc, "prefix": where.path.strip("/") or "dagster"},
        }
    return settings


def _read_launcher(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no YAML"
        raise BadInstance(
            f"dagster: {LAUNCHER} is {str(path)!r}, which cannot be read: {reason}"
        ) from error
    if not isinstance(found, dict) or not {"module", "class"} <= set(found):
        raise BadInstance(
            f"dagster: {LAUNCHER} is {str(path)!r}, which does not name a launcher; give its "
            "module, class and config, as dagster.yaml has them under run_launcher"
        )
    package = str(found["module"]).partition(".")[0]
    _need(package, LAUNCHER, package.replace("_", "-"))
    return found


def _need(module: str, setting: str, package: str = "-c constraints.txt -e '.[team]'") -> None:
    if find_spec(module) is None:
        raise BadInstance(
            f"dagster: {setting} is set, and {module} is not installed; "
            f"install it: pip install {package}"
        )


def _read_address() -> bool:
    """Bring the address of the database into the environment; return whether there is one."""
    address = os.environ.get(POSTGRES, "")
    if file := os.environ.get(f"{POSTGRES}_FILE"):
        try:
            address = Path(file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise BadInstance(
                f"dagster: {POSTGRES}_FILE is {file!r}, which cannot be read: {error.strerror}"
            ) from error
    if not address:
        return False
    scheme, _, rest = address.partition("://")
    if scheme not in ("postgresql", "postgres", _DRIVER) or not rest:
        # Not the address: it may hold a password.
        raise BadInstance(
            f"dagster: {POSTGRES} is no address of a Postgres database; give one such as "
            f"{_DRIVER}://user:password@host:5432/dagster"
        )
    os.environ[POSTGRES] = f"{_DRIVER}://{rest}"
    return True


def open_instance(home: Home) -> dg.DagsterInstance:
    """Open the home's instance, closing the books of runs whose process is gone.

    It is told of loads that commands did without it.
    """
    prepare_instance(home)
    try:
        instance = dg.DagsterInstance.from_config(str(home.dagster))
        reap_dead_runs(instance)
        tell_loads(home, instance)
    except Exception as error:
        reason = _said_by_database(error)
        if not os.environ.get(POSTGRES) or not reason:
            raise
        raise BadInstance(
            f"dagster: the database that {POSTGRES} names cannot be used: {reason}"
        ) from error
    return instance


def _said_by_database(error: BaseException | None) -> str:
    """Return the message of the database driver behind an error; empty where there is none."""
    while error is not None and not isinstance(error, SQLAlchemyError):
        error = error.__cause__ or error.__context__
    return str(getattr(error, "orig", None) or error or "").strip()


def reap_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """Mark runs of this machine as failed whose process no longer exists, and return their ids.

    A run killed with -9 would stay STARTED for ever and look alive in the web interface.
    """
    unfinished = instance.get_runs(
        filters=dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING])
    )
    dead = [run for run in unfinished if _is_dead(run.tags)]
    for run in dead:
        instance.report_run_failed(
            run, "the process of this run is gone; what it had journalled is kept: run it again"
        )
    return [run.run_id for run in dead]


def _is_dead(tags: Mapping[str, str]) -> bool:
    """Whether a run has ended without a word, as far as this machine can tell."""
    here = socket.gethostname()
    if PID_TAG not in tags or tags.get(HOST_TAG, here) != here:
        return False
    try:
        os.kill(int(tags[PID_TAG]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def process_tags() -> dict[str, str]:
    """Return the tags of this process on a run: a later start can see whether it died."""
    return {PID_TAG: str(os.getpid()), HOST_TAG: socket.gethostname()}


def tag_process(context: dg.AssetExecutionContext | dg.OpExecutionContext) -> None:
    """Name this process on the run."""
    context.instance.add_run_tags(context.run_id, process_tags())
