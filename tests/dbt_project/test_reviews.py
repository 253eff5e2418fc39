"""From a page's inbox to a mart: decisions about disagreements, counted and listed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from dashboard.reviews.form import hand_in
from ingestion.imports import import_file
from ingestion.ingest import ingest
from tests.dbt_project.compiled_models import Compiled, over_home, rows_of
from tests.ingestion.ingestion_files import speeches, write_csv
from tests.ingestion.score_rows import import_rows, score_row
from warehouse.home import Home

AT = datetime(2026, 3, 1, tzinfo=UTC)


def test_three_decisions_of_a_page_are_found_in_the_marts(
    home: Home, compiled: Compiled, tmp_path: Path
) -> None:
    ingest(home, "speeches", write_csv(tmp_path / "speeches.csv", speeches(6)))
    import_rows(home, tmp_path, [score_row(at, value=5) for at in range(6)])
    found = rows_of(over_home(compiled, home), "from rpt_disagreements order by unit_id")
    # People say 3 of every speech, on a scale of 1 to 5; there is nobody else, and no repeat.
    assert [(row["disagreement_kind"], row["other_value"], row["size"]) for row in found] == [
        ("people", 3.0, 0.5)
    ] * 6
    decisions = [(found[0], "judge"), (found[1], "others"), (found[1], "both")]
    for at, (row, decision) in enumerate(decisions):
        path = hand_in(home, row, "Ada", decision, ["length"], at=AT + timedelta(minutes=at))
        import_file(home, path)
    reviews = rows_of(
        over_home(compiled, home),
        "select unit_id, decision, times_decided, is_current from fct_review order by unit_id",
    )
    assert [tuple(row.values()) for row in reviews] == [
        (found[0]["unit_id"], "judge", 1, True),
        (found[1]["unit_id"], "both", 2, True),
    ]
    (counted,) = rows_of(over_home(compiled, home), "from rpt_reviews")
    assert (counted["disagreement_count"], counted["reviewed_count"]) == (6, 2)
    assert (counted["judge_right_count"], counted["both_defensible_count"]) == (1, 1)
    assert counted["others_right_count"] == 0
