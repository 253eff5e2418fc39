"""`rostrum compare`: two published versions, number by number."""

import csv
import shutil
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from orchestration.commands.reports.compare import compare_versions
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.reader import current_version


@pytest.fixture
def changed(built_demo: Home, tmp_path: Path) -> Path:
    """A copy of the demo's version with one figure raised."""
    path = tmp_path / "changed.duckdb"
    shutil.copy(current_version(built_demo).path, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "update rpt_rank_agreement set tau_c = tau_c + 0.25 "
            "where judge_id = 'simulated/noisy' and template = 'speech_score'"
        )
    return path


def test_one_changed_figure_is_named_and_ends_with_1(
    built_demo: Home, changed: Path, tmp_path: Path
) -> None:
    version = current_version(built_demo)
    said = Console(record=True, width=200)
    out = tmp_path / "changes.csv"
    assert compare_versions(built_demo, version.name[:7], str(changed), out, said) == 1
    assert "1 numbers changed" in said.export_text()
    with out.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["mart"], row["column"]) == ("rpt_rank_agreement", "tau_c")
    assert float(row["after"]) - float(row["before"]) == pytest.approx(0.25)


def test_equal_versions_end_with_0(built_demo: Home) -> None:
    name = current_version(built_demo).name
    assert compare_versions(built_demo, name, name, None, Console(record=True)) == 0


def test_what_is_not_there_is_refused_with_what_is(built_demo: Home, home: Home) -> None:
    with pytest.raises(NothingPublished, match=r"no one version 'v9'; expected .*v000001-"):
        compare_versions(built_demo, "v9", None, None, Console())
    with pytest.raises(NothingPublished, match="holds 0 published versions"):
        compare_versions(home, None, None, None, Console())
