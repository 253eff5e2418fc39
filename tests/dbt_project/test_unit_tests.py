"""The project's own unit tests: each model's SQL on a handful of rows counted by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

from orchestration.dbt import DBT, dbt_environment
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home


def test_every_unit_test_of_the_dbt_project_passes(built_demo: Home, home: Home) -> None:
    shutil.copy(built_demo.build_db, home.build_db)
    done = subprocess.run(
        [
            str(DBT),
            "test",
            "--select",
            "test_type:unit",
            "--project-dir",
            str(DBT_PROJECT),
            "--profiles-dir",
            str(DBT_PROJECT),
            "--target-path",
            str(home.dbt_target),
            "--log-path",
            str(home.dbt_target),
            "--threads",
            "1",
        ],
        env=os.environ | dbt_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    manifest = json.loads((home.dbt_target / "manifest.json").read_text(encoding="utf-8"))
    results = json.loads((home.dbt_target / "run_results.json").read_text(encoding="utf-8"))
    ran = {result["unique_id"] for result in results["results"] if result["status"] == "pass"}
    assert ran == set(manifest["unit_tests"])
    reports = {
        node["name"]
        for node in manifest["nodes"].values()
        if node["resource_type"] == "model" and node["name"].startswith("rpt_")
    }
    assert reports <= {test["model"] for test in manifest["unit_tests"].values()}
