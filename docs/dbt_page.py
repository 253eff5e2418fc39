"""dbt's own documentation as one page that needs no server and loads nothing from elsewhere."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import yaml

from orchestration.builds.dbt import dbt_command, dbt_environment
from warehouse.audit import DBT_PROJECT
from warehouse.catalogue import read_catalogue
from warehouse.files import write_atomically
from warehouse.home import PROJECT_ROOT, Home
from warehouse.writer import open_writer

PAGE = PROJECT_ROOT / "build" / "dbt_docs" / "index.html"
# Every model is built, over no data, so that the catalogue knows the type of every column.
_BUILD = ("build", "--exclude-resource-type", "test", "--exclude-resource-type", "unit_test")
_WRITE = ("docs", "generate", "--static")


class DbtDocsFailed(Exception):
    """dbt could not write its documentation."""


def write_dbt_page(
    page: Path = PAGE, *, built: Home | None = None, project: Path = DBT_PROJECT
) -> Path:
    """Build the dbt project over an empty warehouse and write its documentation as one file.

    No home is touched: the warehouse is made for this and thrown away.

    Args:
        page: The file to write.
        built: A home whose models are built, to spare that.
        project: The dbt project.

    Raises:
        DbtDocsFailed: dbt failed; says how.
    """
    with tempfile.TemporaryDirectory(prefix="rostrum-docs-") as folder:
        home = Home(Path(folder)).ensure()
        described = _described_project(project, Path(folder) / "project")
        if built is None:
            with open_writer(home, "dbt docs"):
                pass  # Leaves the raw schema, without a row in it.
            _dbt(home, described, *_BUILD)
        else:
            shutil.copy(built.build_db, home.build_db)
        _dbt(home, described, *_WRITE)
        write_atomically(page, (home.dbt_target / "static_index.html").read_bytes())
    return page


def _described_project(project: Path, folder: Path) -> Path:
    """Copy the project, each column of a mart described as the catalogue has it."""
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("target", "logs"))
    catalogue = read_catalogue()
    for path in (folder / "models").rglob("*.yml"):
        content = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for model in content.get("models", []):
            for column in model.get("columns", []):
                meaning = catalogue.meaning(model["name"], column["name"])
                column.setdefault("description", meaning)
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
