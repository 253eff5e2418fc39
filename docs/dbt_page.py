"""dbt's own documentation as one page that needs no server and loads nothing from elsewhere."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from orchestration.dbt import DBT, dbt_environment
from warehouse.audit import DBT_PROJECT
from warehouse.files import write_atomically
from warehouse.home import PROJECT_ROOT, Home
from warehouse.writer import open_writer

PAGE = PROJECT_ROOT / "build" / "dbt_docs" / "index.html"
# Every model is built, over no data, so that the catalogue knows the type of every column.
_STEPS = (
    ("build", "--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"),
    ("docs", "generate", "--static"),
)


class DbtDocsFailed(Exception):
    """dbt could not write its documentation."""


def write_dbt_page(page: Path = PAGE) -> Path:
    """Build the dbt project over an empty warehouse and write its documentation as one file.

    No home is touched: the warehouse is made for this and thrown away.

    Args:
        page: The file to write.

    Raises:
        DbtDocsFailed: dbt failed; says how.
    """
    with tempfile.TemporaryDirectory(prefix="rostrum-docs-") as folder:
        home = Home(Path(folder)).ensure()
        with open_writer(home, "dbt docs"):
            pass  # Leaves the raw schema, without a row in it.
        for step in _STEPS:
            _dbt(home, *step)
        write_atomically(page, (home.dbt_target / "static_index.html").read_bytes())
    return page


def _dbt(home: Home, *arguments: str) -> None:
    done = subprocess.run(
        [
            str(DBT), *arguments, "--quiet", "--project-dir", str(DBT_PROJECT), "--profiles-dir",
            str(DBT_PROJECT), "--target-path", str(home.dbt_target), "--log-path",
            str(home.dbt_target),
        ],
        env=os.environ | dbt_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise DbtDocsFailed(
            f"docs: 'dbt {' '.join(arguments)}' failed: {done.stdout}{done.stderr}; "
            "correct the dbt project, then run 'make docs' again"
        )
