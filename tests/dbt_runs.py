"""dbt in a home, with the project parsed as the product's own commands leave it."""

from __future__ import annotations

import os
import subprocess

from orchestration.dbt import dbt_command, dbt_environment, ensure_manifest
from warehouse.home import Home


def run_dbt(home: Home, *arguments: str) -> None:
    """Run dbt on the project as it is, which has to succeed."""
    ensure_manifest(home)
    done = subprocess.run(
        dbt_command(home.dbt_target, *arguments),
        env=os.environ | dbt_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
