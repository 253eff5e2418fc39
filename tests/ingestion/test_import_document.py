"""The examples of docs/import.md work as they stand."""

from __future__ import annotations

import itertools
import re
import shlex
from pathlib import Path

import pytest

from ingestion.formats.own import SCORE_COLUMNS as COLUMNS
from ingestion.imports import import_file
from ingestion.ingest import check_study, ingest
from ingestion.sources.study import ITEM_COLUMNS, RATING_COLUMNS, Study
from tests.ingestion.ingestion_files import query
from warehouse.home import PROJECT_ROOT, Home

TEXT = (PROJECT_ROOT / "docs" / "import.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [block for found, block in fenced if found == language]


@pytest.mark.parametrize(("language", "name"), [("json", "a.jsonl"), ("csv", "a.csv")])
def test_the_example_score_files_import_without_a_reject(
    home: Home, tmp_path: Path, language: str, name: str
) -> None:
    ingest(home, "sample")
    path = tmp_path / name
    path.write_text(_blocks(language)[0], encoding="utf-8")
    assert import_file(home, path).quarantined == 0
    assert query(
        home, "select item_id, template, value, parse_status from raw.scores order by 1"
    ) == [
        ("sample:free-buses-expert", "imported", 4.0, "supplied"),
        ("sample:free-buses-list", "speech_score", 2.0, "parsed"),
    ]


def test_the_example_study_passes_its_check(tmp_path: Path) -> None:
    _, items, ratings = _blocks("csv")
    (tmp_path / "items.csv").write_text(items, encoding="utf-8")
    (tmp_path / "ratings.csv").write_text(ratings, encoding="utf-8")
    (command,) = [block for block in _blocks("") if "ingest study" in block]
    words = shlex.split(command.replace("\\\n", ""))
    columns = dict(
        word.split("=") for before, word in itertools.pairwise(words) if before == "--column"
    )
    report = check_study(
        Study(
            "my-essays", tmp_path / "items.csv", tmp_path / "ratings.csv", "How good is this essay?",
            1, 5, columns,
        )
    )  # fmt: skip
    assert (report.items, report.ratings, report.rejects) == (2, 3, ())


def test_every_column_is_explained() -> None:
    first_cells = " ".join(re.findall(r"^\| ([^|]*) \|", TEXT, re.MULTILINE))
    named = set(re.findall(r"`([a-z_]+)`", first_cells))
    assert named == {*COLUMNS, *ITEM_COLUMNS, *RATING_COLUMNS}
