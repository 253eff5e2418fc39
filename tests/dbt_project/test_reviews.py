"""From a page's inbox to a mart: decisions about disagreements, counted and listed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from dashboard.reviews.form import hand_in
from ingestion.imports import import_file
from ingestion.ingest import ingest
from tests.dbt_project.compiled_models import Compiled, Models
from tests.ingestion.ingestion_files import speeches, write_csv
from tests.ingestion.score_rows import import_rows, score_row
from warehouse import functions
from warehouse.home import Home

AT = datetime(2026, 3, 1, tzinfo=UTC)


def _rows(home: Home, compiled: Compiled, sql: str) -> list[dict[str, Any]]:
    """Return what a query gives on the marts over a copy of what is loaded."""
    with duckdb.connect() as connection:
        functions.register(connection)
        connection.execute(f"attach '{home.build_db}' as loaded (read_only)")
        connection.execute("attach ':memory:' as build")
        connection.execute("copy from database loaded to build")
        connection.execute("use build")
        found = Models(compiled, connection).execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_three_decisions_of_a_page_are_found_in_the_marts(
    home: Home, compiled: Compiled, tmp_path: Path
) -> None:
    ingest(home, "speeches", write_csv(tmp_path / "speeches.csv", speeches(6)))
    import_rows(home, tmp_path, [score_row(at, value=5) for at in range(6)])
    found = _rows(home, compiled, "from rpt_disagreements order by unit_id")
    # People say 3 of every speech, on a scale of 1 to 5; there is nobody else, and no repeat.
    assert [(row["disagreement_kind"], row["other_value"], row["size"]) for row in found] == [
        ("people", 3.0, 0.5)
    ] * 6
    decisions = [(found[0], "judge"), (found[1], "others"), (found[1], "both")]
    for at, (row, decision) in enumerate(decisions):
        path = hand_in(home, row, "Ada", decision, ["length"], at=AT + timedelta(minutes=at))
        import_file(home, path)
    reviews = _rows(
        home,
        compiled,
        "select unit_id, decision, times_decided, is_current from fct_review order by unit_id",
    )
    assert [tuple(row.values()) for row in reviews] == [
        (found[0]["unit_id"], "judge", 1, True),
        (found[1]["unit_id"], "both", 2, True),
    ]
    (counted,) = _rows(home, compiled, "from rpt_reviews")
    assert (counted["disagreement_count"], counted["reviewed_count"]) == (6, 2)
    assert (counted["judge_right_count"], counted["both_defensible_count"]) == (1, 1)
    assert counted["others_right_count"] == 0
