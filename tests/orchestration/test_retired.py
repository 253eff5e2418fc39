"""A home that holds what is no longer supported: it opens, builds, publishes and says so."""

import json

import pytest
from rich.console import Console

from ingestion.errors import UnknownSource
from ingestion.ingest import ingest
from ingestion.registry import RETIRED
from orchestration.commands.reports.tables import status_report
from warehouse.audit import begin_build, finish_build
from warehouse.home import Home
from warehouse.publish import publish
from warehouse.reader import current_version, run_query
from warehouse.writer import open_writer

MARTS = {
    "dim_dataset": "from raw.datasets",
    "rpt_run_health": "select null as run_id, null as status, 0 as answered_count, "
    "0 as unparsed_count, 0 as error_count, 0 as cost_usd, null as started_at",
}
NODES = {
    f"model.rostrum.{name}": {
        "resource_type": "model",
        "schema": "marts",
        "name": name,
        "description": "",
        "columns": {},
        "raw_code": code,
    }
    for name, code in MARTS.items()
}


def _build(home: Home) -> list[str]:
    """Stand in for a dbt build; return the tables that were dropped."""
    with open_writer(home, "test") as connection:
        build = begin_build(connection, home.dbt_target, {"nodes": NODES})
        for name, code in MARTS.items():
            connection.execute(f"create or replace table marts.{name} as {code}")
        home.dbt_target.mkdir(parents=True, exist_ok=True)
        (home.dbt_target / "manifest.json").write_text(json.dumps({"nodes": NODES}))
        results = [{"unique_id": name, "status": "success"} for name in NODES]
        (home.dbt_target / "run_results.json").write_text(
            json.dumps({"metadata": {"invocation_id": "x"}, "results": results})
        )
        finish_build(connection, build, home.dbt_target)
    publish(home, code_version="1")
    return build.retired


@pytest.mark.parametrize("source", RETIRED)
def test_a_home_with_data_of_a_retired_source_builds_and_says_so_once(
    home: Home, source: str
) -> None:
    with open_writer(home, "test") as connection:
        connection.execute(
            "insert into raw.datasets (dataset_id, title, licence, url, is_sample, _source_file, "
            "_loaded_at) values ('spring-open', 'Tab', 'none', ?, false, 'tab', now()::timestamp)",
            [RETIRED[source]],
        )
        connection.execute(
            "create schema marts; create table marts.rpt_scale_raters as select 1 as severity"
        )
    assert _build(home) == ["rpt_scale_raters"]
    assert _build(home) == []
    version = current_version(home)
    assert run_query(version, "select dataset_id from dim_dataset").rows == [("spring-open",)]
    published = run_query(version, "select table_name from duckdb_tables()").rows
    assert ("rpt_scale_raters",) not in published
    console = Console(record=True, width=200)
    status_report(home, console)
    assert console.export_text().count(f"{source}: no longer supported") == 1
    with pytest.raises(UnknownSource, match="no longer supported"):
        ingest(home, source, "tab.xml")
