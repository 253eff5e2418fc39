"""dbt, as Rostrum runs it: one project, one profile, everything else under the home."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from orchestration.errors import BuildFailed
from warehouse.audit import DBT_PROJECT, project_hash
from warehouse.home import Home

DBT = Path(sys.executable).with_name("dbt")
_PARSED = "partial_parse.msgpack"


def dbt_environment(home: Home) -> dict[str, str]:
    """Return what dbt must find in its environment to build in this home."""
    return {
        "ROSTRUM_BUILD_DB": str(home.build_db),
        "ROSTRUM_DBT_PLUGINS": str(DBT_PROJECT / "plugins"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        # Dagster asks for JSON, which takes a twelfth of a build to write and nobody to read.
        "DBT_LOG_FORMAT_FILE": "debug",
    }


def ensure_manifest(home: Home) -> Path:
    """Return the manifest of the dbt project as it is now, parsing it when none fits.

    Dagster reads it to know the models. It is kept by the hash of the project's files, so that a
    changed model is noticed and an unchanged one costs nothing.

    Raises:
        BuildFailed: dbt cannot read the project.
    """
    root = home.root / "warehouse" / "dbt_manifests"
    folder = root / project_hash()
    manifest = folder / "manifest.json"
    if manifest.exists():
        return manifest
    temporary = root / f".{folder.name}.{os.getpid()}"
    # Where that is not allowed, dbt would end without a word.
    temporary.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [
            str(DBT),
            "parse",
            "--project-dir",
            str(DBT_PROJECT),
            "--profiles-dir",
            str(DBT_PROJECT),
            "--target-path",
            str(temporary),
            "--log-path",
            str(temporary),
            "--no-partial-parse",
            "--quiet",
        ],
        env=os.environ | dbt_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        shutil.rmtree(temporary, ignore_errors=True)
        message = f"dbt: cannot read the project in {DBT_PROJECT}: {done.stdout}{done.stderr}"
        raise BuildFailed(message)
    # The next build finds the project parsed, and need not do it again.
    home.dbt_target.mkdir(parents=True, exist_ok=True)
    shutil.copy(temporary / _PARSED, home.dbt_target / _PARSED)
    try:
        temporary.rename(folder)
    except OSError:
        # Another process has parsed the same project meanwhile; its result is as good.
        shutil.rmtree(temporary, ignore_errors=True)
    for old in root.iterdir():
        if old.name != folder.name and not old.name.startswith("."):
            shutil.rmtree(old, ignore_errors=True)
    return manifest
