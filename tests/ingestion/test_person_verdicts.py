"""People's verdicts on who won, from files: annotators kept apart, bad rows named, repeats harmless."""

from pathlib import Path
from typing import Any

import pytest

from ingestion.batch import Counts
from ingestion.imports import import_file
from ingestion.ingest import ingest
from tests.ingestion.debate_files import ddo_debate, ddo_file
from tests.ingestion.ingestion_files import (
    check_rejects,
    one,
    query,
    unchanged,
    write_jsonl,
)
from warehouse.home import Home

VERDICTS = (
    "select debate_id, judge_id, choice, p_pro, mode, is_final from raw.human_verdicts order by all"
)


@pytest.fixture
def debates(home: Home, tmp_path: Path) -> Home:
    """Three debates of DDO."""
    ingest(home, "ddo", ddo_file(tmp_path, {f"d{number}": ddo_debate() for number in (1, 2, 3)}))
    return home


def rows() -> list[dict[str, Any]]:
    return [
        {"item": "d1", "annotator": "anna", "winner": " Pro ", "p_pro": 0.75, "note": "close"},
        {"item": "ddo:d1", "annotator": 7, "winner": "con"},
        {"item": "d2", "annotator": "anna", "winner": "tie", "at": "2026-03-01T12:00:00Z"},
        {"item": "d3", "judge": "human/ben", "winner": "pro"},
    ]


LOADED = [
    ("ddo:d1", "ddo:rater-7", "con", None, "imported", True),
    ("ddo:d1", "ddo:rater-anna", "pro", 0.75, "imported", True),
    ("ddo:d2", "ddo:rater-anna", "tie", None, "imported", True),
    ("ddo:d3", "ddo:rater-ben", "pro", None, "imported", True),
]


def test_each_annotators_verdict_becomes_a_row_and_loading_again_changes_nothing(
    debates: Home, tmp_path: Path
) -> None:
    path = write_jsonl(tmp_path / "people.jsonl", rows())
    report = import_file(debates, path)
    assert (list(report.notes), report.quarantined) == (["read as human-verdicts"], 0)
    assert report.tables == {"human_verdicts": Counts(4)}
    assert query(debates, VERDICTS) == LOADED
    assert (
        one(debates, "select extra ->> '$.note' from raw.human_verdicts where p_pro is not null")
        == "close"
    )
    with unchanged(debates):
        assert import_file(debates, path).load_id is None
    # The source's own load leaves them alone.
    ingest(debates, "ddo", ddo_file(tmp_path, {"d1": ddo_debate(title="Trees dream")}))
    assert query(debates, VERDICTS) == LOADED


BAD_ROWS = [
    ({"item": "d9"}, "item", "d9"),
    ({"item": "d1"}, "annotator", "duplicate key"),
    ({"winner": "affirmative"}, "winner", "'pro', 'con' or 'tie'"),
    ({"winner": None}, "winner", "is missing"),
    ({"annotator": None}, "annotator", "is missing"),
    ({"annotator": None, "judge": "openai/gpt-4.1"}, "judge", "should be human/NAME"),
    ({"p_pro": 1.5}, "p_pro", "less than or equal to 1"),
    ({"at": "yesterday"}, "at", "should be a time"),
]


def test_rows_that_cannot_be_used_are_quarantined_with_their_reasons(
    debates: Home, tmp_path: Path
) -> None:
    usual = {"item": "d3", "annotator": "anna", "winner": "pro"}
    bad = [usual | changes for changes, *_ in BAD_ROWS]
    path = write_jsonl(tmp_path / "people.jsonl", [*rows(), *bad])
    report = import_file(debates, path, wanted_format="human-verdicts", max_rejected=1)
    check_rejects(report.rejects, BAD_ROWS, first=5)
    assert query(debates, VERDICTS) == LOADED


def test_people_in_a_file_of_models_verdicts_are_told_where_they_belong(
    debates: Home, tmp_path: Path
) -> None:
    mixed = [
        {"item": "d1", "judge": "acme/one", "winner": "pro"},
        {"item": "d1", "judge": "human/anna", "winner": "pro"},
    ]
    report = import_file(debates, write_jsonl(tmp_path / "both.jsonl", mixed), max_rejected=0.5)
    (found,) = report.rejects
    assert "--format human-verdicts" in found.reason
