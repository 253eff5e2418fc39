"""Score files for the tests, and their outcomes."""

from pathlib import Path
from typing import Any

from ingestion.imports import import_file
from ingestion.raw_tables import LoadReport
from tests.ingestion.ingestion_files import query, write_jsonl
from warehouse.home import Home

JUDGE = "openai/gpt-test"


def score_row(number: int, **changes: Any) -> dict[str, Any]:
    return {"item": f"speeches:s-{number}", "judge": JUDGE, "value": 1 + number % 5, **changes}


def import_rows(
    home: Home, tmp_path: Path, rows: list[dict[str, Any]], **options: Any
) -> LoadReport:
    return import_file(home, write_jsonl(tmp_path / "scores.jsonl", rows), **options)


def scores_in(home: Home, columns: str, where: str = "true") -> list[tuple[Any, ...]]:
    return query(home, f"select {columns} from raw.scores where {where} order by item_id, sample")
