"""Random samples: drawn once by their seed, in proportion, and labelled through a file."""

import csv
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingestion.batch import Counts
from ingestion.errors import SourceUnreadable, TooManyRejected
from ingestion.imports import import_file
from ingestion.ingest import ingest
from ingestion.sampling.drawing import KIND, drawn, read_sample, sample_id_of
from ingestion.sampling.sheets import COLUMNS, sheet
from tests.ingestion.ingestion_files import query, speeches, write_csv
from warehouse.home import Home
from warehouse.records.samples import Sample
from warehouse.writer import open_writer

AT = datetime(2026, 3, 1, tzinfo=UTC)
DATASET = "speeches"
DIMENSION = "goodopeningspeech"


def _sample(**settings: Any) -> Sample:
    return Sample("d-00000000", "speeches", "d", "q", 4, 7, AT, **settings)


def _asked(folder: Path, size: int = 4, **more: Any) -> Path:
    settings = {"task": "speeches", "dataset_id": DATASET, "dimension": DIMENSION, "size": size}
    settings |= {"seed": 7, "labels": "campaign", "raters": 1}
    told = {"kind": KIND, "schema_version": 1, "sample_id": sample_id_of(**settings)}
    path = folder / "sample.json"
    path.write_text(json.dumps({**told, **settings, "drawn_at": AT.isoformat(), **more}))
    return path


@pytest.fixture
def loaded(home: Home, tmp_path: Path) -> Home:
    ingest(home, "speeches", write_csv(tmp_path / "speeches.csv", speeches(9)))
    return home


def test_a_seed_draws_the_same_order_again_and_another_seed_another() -> None:
    frame = [(f"x{at:02d}", "all") for at in range(40)]
    first = [one.item_id for one in drawn(_sample(), frame)]
    assert [one.item_id for one in drawn(_sample(), frame)] == first
    assert sorted(first) == [item for item, _ in frame] != first
    other = Sample("d-00000000", "speeches", "d", "q", 4, 8, AT)
    assert [one.item_id for one in drawn(other, frame)] != first


def test_every_stratum_has_its_share_of_any_beginning() -> None:
    frame = [(f"x{at:03d}", "a" if at < 60 else "b") for at in range(90)]
    order = drawn(_sample(strata="source"), frame)
    for size in (3, 10, 30, 60):
        counts = Counter(one.stratum for one in order[:size])
        assert abs(counts["a"] - size * 2 / 3) <= 1


def test_every_item_is_as_likely_to_come_first() -> None:
    frame = [("x", "all"), ("y", "all"), ("z", "all")]
    first = Counter(
        drawn(Sample("d-00000000", "speeches", "d", "q", 1, seed, AT), frame)[0].item_id
        for seed in range(3000)
    )
    # 3,000 thirds have a standard deviation of 26.
    assert all(abs(first[item] - 1000) < 130 for item in "xyz")


def test_a_sample_keeps_its_whole_frame_and_is_never_drawn_again(
    loaded: Home, tmp_path: Path
) -> None:
    import_file(loaded, _asked(tmp_path))
    order = query(loaded, "select item_id, position from raw.sampled_items order by position")
    assert [position for _, position in order] == list(range(1, 10))
    ingest(loaded, "speeches", write_csv(tmp_path / "more.csv", speeches(12)))
    again = import_file(loaded, _asked(tmp_path)).tables
    assert again == {"samples": Counts(unchanged=1)}
    assert query(loaded, "select item_id, position from raw.sampled_items order by 2") == order


def test_a_sample_larger_than_its_frame_is_refused(loaded: Home, tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match=r"10 items are to be drawn .* there are 9"):
        import_file(loaded, _asked(tmp_path, size=10))


def test_a_source_that_is_not_there_is_refused_with_those_there_are(
    loaded: Home, tmp_path: Path
) -> None:
    (source,) = query(loaded, "select min(source) from raw.speeches")[0]
    with pytest.raises(SourceUnreadable, match=f"no source 'nobody'; there are .*{source}"):
        import_file(loaded, _asked(tmp_path, size=1, sources=["nobody", source]))


def test_a_log_of_debates_takes_two_sources(home: Home, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("debate,motion,pro,con,judge,winner\n1,q,m/a,m/b,j,pro\n2,q,m/a,m/c,j,con\n")
    ingest(home, "debate-log", log, settings={"dataset": "my-log"})
    asked = {"task": "debates", "dataset_id": "my-log", "dimension": "winner"}
    with pytest.raises(SourceUnreadable, match=r"only 'm/a'; .* there are m/a, m/b, m/c"):
        import_file(home, _asked(tmp_path, size=1, **asked, sources=["m/a"]))
    import_file(home, _asked(tmp_path, size=1, **asked, sources=["m/a", "m/b"]))
    assert query(home, "select item_id from raw.sampled_items") == [("my-log:1",)]


def test_the_sheet_is_filled_in_by_place_and_says_not_whose_speech_it_is(
    loaded: Home, tmp_path: Path
) -> None:
    asked = _asked(tmp_path)
    import_file(loaded, asked)
    with open_writer(loaded, "test") as connection:
        content = sheet(connection, read_sample(asked.read_bytes(), "sample"))
    rows = list(csv.DictReader(content.decode().splitlines()))
    assert tuple(rows[0]) == COLUMNS
    path = tmp_path / "labels.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row, label in zip(rows, ("3", "-", "", "5"), strict=False):
            writer.writerow(row | {"annotator": "ada", "label": label})
    import_file(loaded, path)
    labels = query(
        loaded,
        "select position, value from raw.sample_labels inner join raw.sampled_items "
        "using (sample_id, item_id) order by position",
    )
    assert labels == [(1, 3.0), (2, None), (4, 5.0)]


def test_labels_off_the_scale_or_of_what_was_not_drawn_are_refused(
    loaded: Home, tmp_path: Path
) -> None:
    asked = _asked(tmp_path)
    import_file(loaded, asked)
    sample = json.loads(asked.read_text())["sample_id"]
    path = tmp_path / "labels.csv"
    for position, label, reason in (
        ("1", "9", "not on the scale"),
        ("7", "3", "no item 7 was drawn"),
        ("1", "good", "should be a number"),
    ):
        path.write_text(f"{','.join(COLUMNS)}\n{sample},{position},q,t,ada,{label}\n")
        with pytest.raises(TooManyRejected, match=reason):
            import_file(loaded, path)


def test_labels_that_come_after_a_sample_was_closed_are_refused(
    loaded: Home, tmp_path: Path
) -> None:
    asked = _asked(tmp_path)
    import_file(loaded, asked)
    import_file(loaded, _asked(tmp_path, closed_at=AT.isoformat()))
    sample = json.loads(asked.read_text())["sample_id"]
    path = tmp_path / "labels.csv"
    path.write_text(f"{','.join(COLUMNS)}\n{sample},1,q,t,ada,3\n")
    with pytest.raises(SourceUnreadable, match="is closed"):
        import_file(loaded, path)
