"""dbt in a home, with the project parsed as the product's own commands leave it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from orchestration.dbt import DBT_MODULE, dbt_command, dbt_environment, ensure_manifest
from warehouse.home import Home


def run_dbt(home: Home, *arguments: str) -> None:
    """Run dbt on the project as it is, which has to succeed.

    Args:
        home: The home.
        arguments: What dbt is to do. Other values of variables do not make it parse the project
            anew: only `raw_database` decides how it is parsed.
    """
    ensure_manifest(home)
    command = [
        __name__ if word == DBT_MODULE else word
        for word in dbt_command(home.dbt_target, *arguments)
    ]
    done = subprocess.run(
        command,
        env=os.environ | dbt_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def main() -> None:
    """Run dbt with this process's arguments on a project parsed with other variables."""
    from dbt.parser.manifest import ManifestLoader

    from orchestration import dbt_process

    is_parsable = ManifestLoader.is_partial_parsable

    def is_parsable_by_its_files(loader: ManifestLoader, parsed: Any) -> tuple[bool, str | None]:
        loader.manifest.state_check.vars_hash = parsed.state_check.vars_hash
        return is_parsable(loader, parsed)

    if not any("raw_database" in word for word in sys.argv):
        ManifestLoader.is_partial_parsable = is_parsable_by_its_files
    dbt_process.main()


if __name__ == "__main__":
    main()
