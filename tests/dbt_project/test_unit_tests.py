"""The project's own unit tests: rules and hand-worked figures that no library computes."""

import json
import shutil

from tests.dbt_runs import run_dbt
from warehouse.home import Home


def test_every_unit_test_of_the_dbt_project_passes(built_demo: Home, home: Home) -> None:
    shutil.copy(built_demo.build_db, home.build_db)
    run_dbt(home, "test", "--select", "test_type:unit")
    manifest = json.loads((home.dbt_target / "manifest.json").read_text(encoding="utf-8"))
    results = json.loads((home.dbt_target / "run_results.json").read_text(encoding="utf-8"))
    ran = {result["unique_id"] for result in results["results"] if result["status"] == "pass"}
    assert ran == set(manifest["unit_tests"])
    assert ran
