"""dbt, as Rostrum runs it: one project, one profile, everything else under the home."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from orchestration.errors import BuildFailed
from warehouse.audit import DBT_PROJECT, project_hash
from warehouse.home import Home

DBT_MODULE = "orchestration.dbt_process"
_PARSED = "partial_parse.msgpack"


def dbt_environment(home: Home) -> dict[str, str]:
    """Return what dbt must find in its environment to build in this home."""
    return {
        "ROSTRUM_BUILD_DB": str(home.build_db),
        "ROSTRUM_DBT_PLUGINS": str(DBT_PROJECT / "plugins"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        # Dagster asks for JSON, which takes a twelfth of a build to write and nobody to read.
        "DBT_LOG_FORMAT_FILE": "debug",
        # What was run lies in the target's folder; in the log, too, it is 10 MB of each build.
        "DBT_LOG_LEVEL_FILE": "info",
    }


def dbt_command(target: Path, *arguments: str, project: Path = DBT_PROJECT) -> list[str]:
    """Return the command that runs dbt on the project.

    Args:
        target: Where dbt writes, its log included.
        arguments: What it is to do.
        project: The dbt project's folder.
    """
    places = {"project-dir": project, "profiles-dir": project, "target-path": target}
    options = [f"--{name}={path}" for name, path in {**places, "log-path": target}.items()]
    return [sys.executable, "-m", DBT_MODULE, *arguments, *options]


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
    shared = DBT_PROJECT / "target" / "parsed" / folder.name
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
