"""dbt's own documentation as one page that needs no server and loads nothing from elsewhere."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import yaml

from orchestration.builds.dbt import dbt_command, dbt_environment
from warehouse.audit import DBT_PROJECT
from warehouse.catalogue import read_catalogue
from warehouse.files import write_atomically
from warehouse.home import Home
from warehouse.writer import open_writer

_BUILD = ("build", "--exclude-resource-type", "test", "--exclude-resource-type", "unit_test")
_WRITE = ("docs", "generate", "--static")


class DbtDocsFailed(Exception):
    """dbt could not write its documentation."""


@contextlib.contextmanager
def empty_build() -> Iterator[Home]:
    """Build every model over no data, in a home that is thrown away.

    Raises:
        DbtDocsFailed: dbt failed; says how.
    """
    with tempfile.TemporaryDirectory(prefix="rostrum-docs-") as folder:
        home = Home(Path(folder)).ensure()
        with open_writer(home, "dbt docs"):
            pass  # Leaves the raw schema, without a row in it.
        _dbt(home, DBT_PROJECT, *_BUILD)
        yield home


def write_dbt_page(built: Home, page: Path, *, project: Path = DBT_PROJECT) -> None:
    """Write the documentation of the dbt project as one file.

    Args:
        built: A home whose models are built.
        page: The file to write.
        project: The dbt project.

    Raises:
        DbtDocsFailed: dbt failed; says how.
    """
    with tempfile.TemporaryDirectory(prefix="rostrum-docs-") as folder:
        home = Home(Path(folder)).ensure()
        shutil.copy(built.build_db, home.build_db)
        _dbt(home, _described_project(built, project, Path(folder) / "project"), *_WRITE)
        write_atomically(page, (home.dbt_target / "static_index.html").read_bytes())


def _described_project(built: Home, project: Path, folder: Path) -> Path:
    """Copy the project, with the columns of each mart as the catalogue describes them."""
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("target", "logs"))
    catalogue = read_catalogue()
    with duckdb.connect(str(built.build_db), read_only=True) as connection:
        columns: dict[str, list[str]] = dict(
            connection.execute(
                "select table_name, list(column_name order by column_index) "
                "from duckdb_columns() where schema_name = 'marts' group by table_name"
            ).fetchall()
        )
    for path in (folder / "models").rglob("*.yml"):
        content = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for model in content.get("models", []):
            if model["name"] in columns:
                model["columns"] = [
                    {"name": name, "description": catalogue.meaning(model["name"], name)}
                    for name in columns[model["name"]]
                ]
        path.write_text(yaml.safe_dump(content, sort_keys=False, width=1000), encoding="utf-8")
    return folder


def _dbt(home: Home, project: Path, *arguments: str) -> None:
    done = subprocess.run(
        dbt_command(home.dbt_target, *arguments, "--quiet", project=project),
        env=os.environ | dbt_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise DbtDocsFailed(
            f"docs: 'dbt {' '.join(arguments)}' failed: {done.stdout}{done.stderr}; "
            "correct the dbt project, then run 'make docs' again"
        )
