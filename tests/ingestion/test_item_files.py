"""What judges may read: fixed by content, complete, and without a trace of what people said."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import ibm_speech, pointer, speeches, write_csv, write_parquet
from warehouse.files import sha256_file
from warehouse.home import Home


def _load(home: Home, tmp_path: Path, **changes: str) -> dict[str, Any]:
    rows = speeches(4)
    rows[1].update(changes)
    ingest(home, "speeches", write_csv(tmp_path / "a.csv", rows))
    return pointer(home, "speeches")


def test_the_items_file_is_named_by_its_bytes_and_sorted(home: Home, tmp_path: Path) -> None:
    found = _load(home, tmp_path)
    path = home.items / "speeches" / found["items"]
    assert path.name == f"{sha256_file(path)}.parquet"
    assert found["reference"] == path.name.replace(".parquet", ".reference.parquet")
    table = pq.read_table(path)
    columns = "item_id item_hash debate_id motion source text word_count dimension question"
    assert table.column_names == [*columns.split(), "scale_min", "scale_max"]
    ids = table.column("item_id").to_pylist()
    assert ids == sorted(ids)
    assert found["rows"] == len(ids) == 4


def test_the_reference_has_the_mean_and_count_of_each_rated_item(
    home: Home, tmp_path: Path
) -> None:
    found = _load(
        home, tmp_path, goodopeningspeech="[5, 4]", labeler_ids="[1, 2]", **{"#labelers": "2"}
    )
    rows = pq.read_table(home.items / "speeches" / found["reference"]).to_pylist()
    assert list(rows[0]) == ["item_id", "dimension", "mean_value", "n_ratings"]
    assert [tuple(row.values()) for row in rows[:2]] == [
        ("speeches:s-0", "goodopeningspeech", 3.0, 3),
        ("speeches:s-1", "goodopeningspeech", 4.5, 2),
    ]


def test_a_new_rating_changes_the_reference_and_not_what_judges_read(
    home: Home, tmp_path: Path
) -> None:
    before = _load(home, tmp_path)
    reference = home.items / "speeches" / before["reference"]
    bytes_before = reference.read_bytes()
    assert _load(home, tmp_path, goodopeningspeech="[1, 1, 1]") == before
    assert reference.read_bytes() != bytes_before


def test_a_new_text_makes_a_new_file_and_keeps_the_old(home: Home, tmp_path: Path) -> None:
    before = _load(home, tmp_path)
    after = _load(home, tmp_path, text="Rewritten")
    assert before["items"] != after["items"]
    kept = pq.read_table(home.items / "speeches" / before["items"], columns=["text"])
    assert "Rewritten" not in kept.column("text").to_pylist()


def test_loading_again_repairs_files_that_are_missing_or_damaged(
    home: Home, tmp_path: Path
) -> None:
    found = _load(home, tmp_path)
    folder = home.items / "speeches"
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "current.json").unlink()
    (folder / found["items"]).write_bytes(b"damaged")
    _load(home, tmp_path)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole


def test_files_that_are_right_are_left_alone(home: Home, tmp_path: Path) -> None:
    _load(home, tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in (home.items / "speeches").iterdir()}
    _load(home, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps


def test_there_is_a_row_for_each_dimension(home: Home, tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", [ibm_speech(0), ibm_speech(1)])
    ingest(home, "speeches-ibm", path)
    found = pointer(home, "speeches-ibm")
    table = pq.read_table(home.items / "speeches-ibm" / found["items"])
    assert table.num_rows == found["rows"] == 6
    assert len(set(table.column("dimension").to_pylist())) == 3


# A file is named by its bytes, which differ where a column has another type.
SMALL_INTEGERS = {
    "items": {"word_count"},
    "questions": {"word_count"},
    "partial_answers": {"position"},
    "documents": {"position", "word_count"},
    "answers": {"word_count"},
    "reading_reference": {"right_answer"},
}


def test_whole_numbers_have_the_types_of_earlier_files(sampled: Home) -> None:
    found: dict[str, set[str]] = {}
    for folder in sampled.items.iterdir():
        for kind, name in pointer(sampled, folder.name).items():
            if not isinstance(name, int):
                fields = pq.read_schema(folder / name)
                found[kind] = {each.name for each in fields if each.type == pa.int32()}
    assert {kind: names for kind, names in found.items() if names} == SMALL_INTEGERS
