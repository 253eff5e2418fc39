"""Building marts over made-up data with dbt, and where the time goes."""

import contextlib
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb

from benchmarks.processes import processor_s
from orchestration.builds.dbt import (
    DBT_SAYS,
    STATEMENTS_FILE,
    dbt_command,
    ensure_manifest,
    statements_file,
)
from warehouse.home import PROJECT_ROOT, Home

_PROJECT = PROJECT_ROOT / "dbt_project"
_SHOWN = 15
_PASSED = {"success", "pass", "warn"}


class BuildFailed(Exception):
    """A model or a test failed."""


def results_of(path: Path) -> list[dict[str, Any]]:
    """Return what dbt says of each node that it last ran on a build database."""
    content = json.loads((path.parent / "target" / "run_results.json").read_text())
    results: list[dict[str, Any]] = content["results"]
    return results


def bytes_of(path: Path) -> int:
    """Return the size of a file, or of all that a folder holds while others write in it."""
    if path.is_file():
        return path.stat().st_size
    found = 0
    for folder, _, names in os.walk(path):
        for name in names:
            # Whoever writes takes files away, too.
            with contextlib.suppress(FileNotFoundError):
                found += os.stat(os.path.join(folder, name)).st_size
    return found


def run_dbt(
    action: str,
    path: Path,
    *options: str,
    environ: Mapping[str, str] | None = None,
    profiles: Path = _PROJECT,
) -> subprocess.CompletedProcess[bytes]:
    """Run dbt on the project as a home does, and return how it ended.

    Args:
        action: What dbt is to do, such as `build`.
        path: The build database; dbt's files go into `target/` beside it.
        options: Further options.
        environ: What dbt finds in its environment; by default, the file.
        profiles: The folder of dbt's profile.
    """
    command = dbt_command(path.parent / "target", action, "--quiet", *options)
    # Of two folders dbt takes the last.
    command.append(f"--profiles-dir={profiles}")
    own = _file(path) if environ is None else environ
    return subprocess.run(command, env=os.environ | DBT_SAYS | own, check=False)


def _file(path: Path) -> dict[str, str]:
    """Return what dbt must find in its environment to build in a file."""
    return {"ROSTRUM_BUILD_DB": str(path), "ROSTRUM_DBT_PLUGINS": str(_PROJECT / "plugins")}


def build(
    path: Path,
    *selected: str,
    indirect: str = "cautious",
    apart: Mapping[str, Collection[str]] = MappingProxyType({}),
    environ: Mapping[str, str] | None = None,
    profiles: Path = _PROJECT,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Build and test models with dbt, and return where the time went.

    The project is parsed before, in seconds of its own, as every home has it parsed. What dbt made
    of the models' code in an earlier build of any home is not made again, as in any home.

    Args:
        path: The build database, filled; or the folder of a lake's rows.
        selected: What to build, as dbt's `--select` takes it.
        indirect: Which tests go with it, as dbt's `--indirect-selection` takes it.
        apart: Models whose seconds are told apart, by the name these get.
        environ: What dbt finds in its environment; by default, the file.
        profiles: The folder of dbt's profile.
        variables: Those of the project.

    Raises:
        BuildFailed: A model or a test failed. Names the first.
    """
    set_to = ["--vars", json.dumps(dict(variables))]
    options = ["--select", *selected, "--indirect-selection", indirect]
    options += ["--exclude-resource-type", "unit_test", *set_to]
    started = time.monotonic()
    run_dbt("parse", path, *set_to, environ=environ, profiles=profiles)
    parse_s = time.monotonic() - started
    if environ is None and not variables:
        parsed = ensure_manifest(Home(path.parent / "home"))
        environ = _file(path) | {STATEMENTS_FILE: str(statements_file(parsed))}
    used_before = processor_s()
    started = time.monotonic()
    done = run_dbt("build", path, *options, environ=environ, profiles=profiles)
    wall_s = time.monotonic() - started
    used = processor_s() - used_before
    results = results_of(path)
    if done.returncode:
        wrong = next((each for each in results if each["status"] not in _PASSED), None)
        said = f"{wrong['unique_id']}: {wrong['message']}" if wrong else "without a word"
        message = f"building: dbt ended with {done.returncode} after {wall_s:.0f} s; {said}"
        raise BuildFailed(message)
    seconds = {each["unique_id"].split(".", 2)[2]: each["execution_time"] for each in results}
    tests = {each["unique_id"].split(".", 2)[2] for each in results if "test." in each["unique_id"]}
    slowest = sorted(seconds.items(), key=lambda entry: -entry[1])[:_SHOWN]
    return {
        "wall_s": round(wall_s, 1),
        "models_s": round(sum(value for name, value in seconds.items() if name not in tests), 1),
        "tests_s": round(sum(value for name, value in seconds.items() if name in tests), 1),
        **{
            name: round(sum(seconds.get(model, 0.0) for model in models), 1)
            for name, models in apart.items()
        },
        # On a machine with other work the processor's seconds say more than the clock's.
        "processor_s": round(used, 1),
        "parse_s": round(parse_s, 1),
        "load_average": round(os.getloadavg()[0], 1),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20, 2),
        "database_mb": round(bytes_of(path) / 1e6),
        "slowest_s": {name: round(value, 2) for name, value in slowest},
    }


def copying_s(path: Path, table: str) -> float:
    """Return the seconds that DuckDB takes to write a table of a build database once more.

    What builds marts of a table cannot take less where one of them holds its rows.
    """
    with duckdb.connect(str(path)) as connection:
        started = time.monotonic()
        connection.execute(f"create table main.copied as from {table}; checkpoint")
        seconds = time.monotonic() - started
        connection.execute("drop table main.copied")
    return round(seconds, 2)


def build_made_up(
    fill: Callable[[duckdb.DuckDBPyConnection], Mapping[str, Any]], table: str, *selected: str
) -> dict[str, Any]:
    """Build models over made-up data, and return where the time went.

    Args:
        fill: Fills an empty database, and returns what the result says of the data.
        table: The table whose copy is the limit.
        selected: What to build, as dbt's `--select` takes it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        with duckdb.connect(str(path)) as connection:
            about = fill(connection)
        return {**about, **build(path, *selected), "limit_s": copying_s(path, table)}
