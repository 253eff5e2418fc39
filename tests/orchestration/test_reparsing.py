"""`rostrum reparse`: a better parser reads what is stored, and every metric that moved is named."""

import csv
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg
import pytest

from orchestration.instance import open_instance
from tests.conftest import run_rostrum
from warehouse.compare import compare, mart_keys
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query

# The first test also waits for the demo.
pytestmark = pytest.mark.slow
JUDGE = "simulated/noisy"


class Read(NamedTuple):
    """A home whose newest version was read by a worse parser, and the version before that.

    With what dbt said of the build of it, and Dagster's run.
    """

    home: Home
    right: Version
    wrong: Version
    said: str
    told: str
    project: Path
    results: list[dict[str, Any]]
    run_id: str

    def run(self, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run a command in the home."""
        return run_rostrum(self.home, *arguments, project=self.project, **more)


@pytest.fixture(scope="module")
def badly_read(small_home: Home, small_project: Path) -> Read:
    home, right = small_home, current_version(small_home)
    done = run_rostrum(
        home,
        str(home.root),
        project=small_project,
        call="tests.orchestration.calls:reparse_worse",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((home.dbt_target / "run_results.json").read_text())["results"]
    with open_instance(home) as instance:
        (run,) = instance.get_run_records(limit=1)
    version = current_version(home)
    run_id = run.dagster_run.run_id
    return Read(home, right, version, done.stdout, done.stderr, small_project, results, run_id)


def fives(version: Version) -> int:
    return int(run_query(version, "select count(*) from fct_score where value = 5").rows[0][0])


def test_a_reparse_builds_publishes_and_names_the_numbers_that_moved(badly_read: Read) -> None:
    lost = fives(badly_read.right)
    assert lost > 10
    assert fives(badly_read.wrong) == 0
    assert f"{lost:,} answers changed" in badly_read.said
    assert (
        f"largest changes from {badly_read.right.name} to {badly_read.wrong.name}"
        in badly_read.said
    )
    assert "rpt_rank_agreement" in badly_read.said
    assert f"published {badly_read.wrong.name}" in badly_read.said
    assert re.search(r"building: 0 of \d+ models and tests", badly_read.told)
    assert "publishing" in badly_read.told
    assert "--out changes.csv" in badly_read.said


def test_older_runs_are_hinted_at_and_a_dry_run_says_what_would_change(badly_read: Read) -> None:
    home = badly_read.home
    assert "rostrum reparse" in badly_read.run("status").stdout
    done = badly_read.run("reparse", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "unparsed: no_score_tag" in done.stdout
    assert JUDGE in done.stdout
    assert f"{fives(badly_read.right):,} answers would change" in done.stdout
    assert current_version(home) == badly_read.wrong


def test_what_changed_shows_in_the_dagster_ui(badly_read: Read) -> None:
    home = badly_read.home
    done = badly_read.run(str(home.root), call="tests.orchestration.calls:show_changes")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    total = compare(
        badly_read.right.path, badly_read.wrong.path, mart_keys(home.dbt_target / "manifest.json")
    ).total
    assert (found["before"], found["after"]) == (badly_read.right.name, badly_read.wrong.name)
    assert (found["changed"], found["unchanged"]) == (total.changed, total.unchanged)
    assert found["largest"].count("| rpt_") == 20


def test_the_right_parser_gives_the_metrics_of_before_and_twice_changes_nothing(
    badly_read: Read, tmp_path: Path
) -> None:
    home, out = badly_read.home, tmp_path / "changes.csv"
    done = badly_read.run("reparse", "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    mended = current_version(home)
    keys = mart_keys(home.dbt_target / "manifest.json")
    assert compare(badly_read.right.path, mended.path, keys).total.changed == 0
    found = compare(badly_read.wrong.path, mended.path, keys).total
    assert f"{found.changed:,} numbers changed, {found.unchanged:,} did not" in done.stdout
    with out.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == found.changed + found.appeared + found.vanished
    parsed = [row for row in rows if row["column"] == "unparsed_count"]
    assert parsed
    assert all(row["before"] != row["after"] for row in parsed)
    assert "older parser" not in badly_read.run("status").stdout

    again = badly_read.run("reparse", "--out", str(out))
    assert again.returncode == 0, again.stderr
    assert "0 answers changed" in again.stdout
    assert f"nothing to build: {mended.name}" in again.stdout
    assert "0 numbers changed" in again.stdout
    assert out.read_text().count("\n") == 1
    assert current_version(home) == mended


def test_a_file_in_no_folder_is_refused_before_anything_is_read(badly_read: Read) -> None:
    done = badly_read.run("reparse", "--out", os.path.join("no", "such", "changes.csv"))
    assert done.returncode == 2
    assert "folder" in done.stderr


def test_dagster_is_told_of_what_was_made_and_not_of_what_stayed(badly_read: Read) -> None:
    named = {each["unique_id"].split(".")[2]: each["message"] for each in badly_read.results}
    stayed = {name for name, message in named.items() if message == "unchanged"}
    told = set()
    with open_instance(badly_read.home) as instance:
        for record in instance.all_logs(badly_read.run_id):
            if (event := record.dagster_event) is None:
                continue
            if event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
                told.add(event.asset_check_evaluation_data.check_name)
            elif event.is_step_materialization and event.asset_key is not None:
                told.add(event.asset_key.path[-1])
    assert stayed
    assert not told & stayed
    # The others are tests of several models, of which Dagster knows nothing.
    assert {"fct_score", "rpt_rank_agreement", "holds_rpt_rank_agreement"} <= told
    assert {name for name in named.keys() - stayed - told if name[:4] in ("dim_", "fct_")} == set()
