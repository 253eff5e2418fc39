"""dbt, as Rostrum runs it: one project, one profile, everything else under the home."""

import contextlib
import functools
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson

from orchestration.errors import BuildFailed
from warehouse.audit import DBT_PROJECT, project_hash
from warehouse.home import Home
from warehouse.lake.engine import PINNED
from warehouse.lake.settings import lake_of
from warehouse.writer import building_now

DBT_MODULE = "orchestration.builds.process"
_PARSED = "partial_parse.msgpack"
# What dbt says, to whom.
DBT_SAYS = {
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    # What a build's process reads of dbt is JSON; the log in the home is for people.
    "DBT_LOG_FORMAT_FILE": "debug",
    # What was run lies in the target's folder; in the log, too, it is 10 MB of each build.
    "DBT_LOG_LEVEL_FILE": "info",
}
# Set for a dbt that finds the names of what it need not make again in its standard input.
MADE_IN_STDIN = "ROSTRUM_MADE_IN_STDIN"
# What a line of that dbt names that stays as it is.
LEFT = "left"
# Set for a dbt that may run what it rendered before: the file that holds it.
STATEMENTS_FILE = "ROSTRUM_STATEMENTS"
_STATEMENTS = "statements.json"
# How long dbt may take to end when it is told to.
_GRACE_S = 25


def dbt_environment(home: Home) -> dict[str, str]:
    """Return what dbt must find in its environment to build in this home."""
    return _target(home) | DBT_SAYS | {"ROSTRUM_DBT_PLUGINS": str(DBT_PROJECT / "plugins")}


def _target(home: Home) -> dict[str, str]:
    """Return where dbt builds: in the home's file, or in its lake, from raw as it was settled."""
    if lake_of(home) is None:
        return {"ROSTRUM_DBT_TARGET": "build", "ROSTRUM_BUILD_DB": str(home.build_db)}
    building = building_now(home)
    pin = {"ROSTRUM_LAKE_SNAPSHOT": str(building[1].pin)} if building else {}
    return pin | {
        "ROSTRUM_DBT_TARGET": "lake",
        "ROSTRUM_HOME": str(home.root),
        "ROSTRUM_SPILL": str(home.root / "warehouse" / "spill"),
    }


def dbt_command(target: Path, *arguments: str, project: Path = DBT_PROJECT) -> list[str]:
    """Return the command that runs dbt on the project, and ends with this process.

    Args:
        target: Where dbt writes, its log included.
        arguments: What it is to do.
    """
    places = {"project-dir": project, "profiles-dir": project, "target-path": target}
    options = [f"--{name}={path}" for name, path in {**places, "log-path": target}.items()]
    tether = ("orchestration.tether", f"parent={os.getpid()}")
    return [sys.executable, "-m", *tether, DBT_MODULE, *arguments, *options]


def run_dbt(
    home: Home,
    arguments: tuple[str, ...],
    hear: Callable[[str, str, float], None],
    made: Collection[str] = (),
    *,
    parsed: Path,
) -> bool:
    """Run dbt in a process that ends with this one; return whether all it did passed.

    What dbt says is printed here.

    Args:
        home: The home it builds in.
        arguments: What it is to do.
        hear: Told each node that is done: its unique id, its status and what it took in seconds; 0
            of what was left as it was.
        made: Unique ids of what need not be made again where what it reads comes out as it was.
        parsed: The project's manifest, as `ensure_manifest` named it.
    """
    said = {"DBT_LOG_FORMAT": "json", "PYTHONUNBUFFERED": "1", MADE_IN_STDIN: "1"}
    if building_now(home):
        arguments = (*arguments, "--vars", json.dumps({"raw_database": PINNED}))
    else:
        said[STATEMENTS_FILE] = str(statements_file(parsed))
    with subprocess.Popen(
        dbt_command(home.dbt_target, *arguments),
        env=os.environ | dbt_environment(home) | said,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            if process.stdin:
                # It may have ended already; then what it says tells why.
                with contextlib.suppress(BrokenPipeError), process.stdin:
                    json.dump(sorted(made), process.stdin)
            for line in process.stdout or ():
                _tell(line.rstrip(), hear)
        except BaseException:
            # What it has committed stays; what it has not is rolled back.
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_S)
            process.kill()
            raise
    return process.returncode == 0


def statements_file(parsed: Path) -> Path:
    """Return where is kept what dbt rendered: for all homes, where that is allowed.

    Args:
        parsed: The project's manifest, as `ensure_manifest` named it.
    """
    shared = _shared_folder(parsed.parent.name)
    return (shared if os.access(shared, os.W_OK) else parsed.parent) / _STATEMENTS


def _shared_folder(name: str) -> Path:
    return DBT_PROJECT / "target" / "parsed" / name


def _tell(line: str, hear: Callable[[str, str, float], None]) -> None:
    try:
        event = json.loads(line)
        if LEFT in event:
            hear(event[LEFT], LEFT, 0.0)
            return
        info, data = event["info"], event["data"]
    except (ValueError, KeyError, TypeError):
        # Not dbt's own words, such as a warning of Python.
        _say(line)
        return
    _say(info["msg"])
    node = data.get("node_info", {})
    if info["name"].endswith("Result") and "unique_id" in node:
        hear(node["unique_id"], node["node_status"], data.get("execution_time", 0.0))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@functools.lru_cache(maxsize=2)
def read_manifest(path: Path) -> dict[str, Any]:
    """Return a manifest that `ensure_manifest` has named; its content never changes."""
    found: dict[str, Any] = orjson.loads(path.read_bytes())
    return found


def ensure_manifest(home: Home) -> Path:
    """Return the manifest of the dbt project as it is now, parsing it when none fits.

    Dagster reads it to know the models. It is kept by the hash of what it was made from, so that a
    changed model is noticed and an unchanged one costs nothing; and where the project's folder can
    be written, it is kept there for other homes too, as Python keeps compiled modules.

    Raises:
        BuildFailed: dbt cannot read the project.
    """
    root = home.root / "warehouse" / "dbt_manifests"
    made_from = f"{project_hash()} {DBT_PROJECT} {version('dbt-core')} {version('dbt-duckdb')}"
    folder = root / hashlib.sha256(made_from.encode()).hexdigest()[:16]
    manifest = folder / "manifest.json"
    if manifest.exists():
        return manifest
    shared = _shared_folder(folder.name)
    temporary = root / f".{folder.name}.{os.getpid()}"
    # Where that is not allowed, dbt would end without a word.
    temporary.mkdir(parents=True, exist_ok=True)
    try:
        try:
            shutil.copytree(shared, temporary, dirs_exist_ok=True)
        except OSError:
            # Not there, or replaced meanwhile by a process with a newer project.
            _parse(home, temporary)
            _share(temporary, shared)
        # The next build finds the project parsed, and need not do it again.
        home.dbt_target.mkdir(parents=True, exist_ok=True)
        shutil.copy(temporary / _PARSED, home.dbt_target / _PARSED)
        # Another process may have parsed the same project meanwhile; its result is as good.
        with contextlib.suppress(OSError):
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    _forget_others(root, folder.name)
    return manifest


def _parse(home: Home, target: Path) -> None:
    done = subprocess.run(
        dbt_command(target, "parse", "--no-partial-parse", "--quiet"),
        env=os.environ | dbt_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        message = f"dbt: cannot read the project in {DBT_PROJECT}: {done.stdout}{done.stderr}"
        raise BuildFailed(message)


def _share(parsed: Path, shared: Path) -> None:
    """Keep a parsed project beside the project, unless that is not allowed or done already."""
    temporary = shared.with_name(parsed.name)
    try:
        temporary.mkdir(parents=True)
        for name in ("manifest.json", _PARSED):
            shutil.copy(parsed / name, temporary / name)
        temporary.rename(shared)
        _forget_others(shared.parent, shared.name)
    except OSError:
        shutil.rmtree(temporary, ignore_errors=True)


def _forget_others(root: Path, name: str) -> None:
    for old in root.iterdir():
        if old.name != name and not old.name.startswith("."):
            shutil.rmtree(old, ignore_errors=True)
