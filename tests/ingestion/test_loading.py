"""Loading: keys decide, everything is counted, and a failure leaves all as it was."""

import errno
import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import ingestion.dataset_batch
import ingestion.items
import ingestion.load
from ingestion.batch import Counts, Reject, SourceFile, refuse_too_many
from ingestion.dataset_batch import DatasetBatch, DebateRecord
from ingestion.debates.turns import outcome_of, turn_of
from ingestion.errors import NoSpace, TooManyRejected
from ingestion.load import load
from tests.ingestion.ingestion_files import item_rows, one, pointer, query, unchanged
from warehouse.files import sha256_bytes
from warehouse.home import Home
from warehouse.records.core import Dataset, Debate, Speech
from warehouse.records.speeches import Dimension, Rating

DIMENSIONS = (Dimension("made", "score", "How good?", 1, 5),)
DEBATES = (Debate("made:d1", "made", "A motion", "study"),)
SPEECHES = (
    Speech("made:1", "made", "made:d1", "Anna", "One two  three"),
    Speech("made:2", "made", "made:d1", "Ben", "Four"),
)
RATINGS = (
    Rating("made", "made:1", "made:rater-1", "score", 3),
    Rating("made", "made:1", "made:rater-2", "score", 4),
)


def _batch(
    debates: Sequence[Debate] = DEBATES,
    speeches: Sequence[Speech] = SPEECHES,
    ratings: Sequence[Rating] = RATINGS,
) -> DatasetBatch:
    return DatasetBatch(
        dataset=Dataset("made", "Made up", "CC0"),
        files=[SourceFile("a.csv", "landing/0/a.csv", "0" * 64, 2)],
        records=[*DIMENSIONS, *debates, *speeches, *ratings],
        replaces=False,
    )


def _hash(motion: str, text: str) -> str:
    return sha256_bytes(f"{motion}\n\n{text}".encode())[:16]


def test_a_first_load_is_all_new(home: Home) -> None:
    report = load(home, _batch())
    assert report.tables["speeches"] == Counts(new=2)
    assert report.tables["human_ratings"] == Counts(new=2)
    assert (report.new, report.updated, report.unchanged, report.load_id) == (7, 0, 0, 1)
    assert query(
        home,
        "select kind, source, file, sha256, rows_new, rows_updated, rows_unchanged, "
        "rows_quarantined from raw.loads",
    ) == [("dataset", "made", "landing/0/a.csv", "0" * 64, 7, 0, 0, 0)]


def test_hash_and_word_count_are_those_of_the_text(home: Home) -> None:
    load(home, _batch())
    assert query(home, "select item_id, word_count, item_hash from raw.speeches order by 1") == [
        ("made:1", 3, _hash("A motion", "One two  three")),
        ("made:2", 1, _hash("A motion", "Four")),
    ]


def test_a_second_load_of_the_same_leaves_no_trace(home: Home) -> None:
    load(home, _batch())
    with unchanged(home):
        report = load(home, _batch())
        assert (report.new, report.updated, report.unchanged, report.load_id) == (0, 0, 7, None)


def test_a_changed_text_is_an_update_with_a_new_hash(home: Home) -> None:
    load(home, _batch())
    speeches = [SPEECHES[0], Speech("made:2", "made", "made:d1", "Ben", "Four five")]
    report = load(home, _batch(speeches=speeches))
    assert report.tables["speeches"] == Counts(updated=1, unchanged=1)
    assert report.load_id == 2
    assert query(
        home, "select word_count, item_hash from raw.speeches where item_id = 'made:2'"
    ) == [(2, _hash("A motion", "Four five"))]


def test_a_changed_motion_renews_the_hash_of_every_item_under_it(home: Home) -> None:
    load(home, _batch())
    only_first = _batch(
        debates=[Debate("made:d1", "made", "Another motion", "study")],
        speeches=SPEECHES[:1],
    )
    report = load(home, only_first)
    assert report.tables["debates"] == Counts(updated=1)
    assert report.tables["speeches"] == Counts(updated=2)
    assert query(home, "select item_hash from raw.speeches order by item_id") == [
        (_hash("Another motion", "One two  three"),),
        (_hash("Another motion", "Four"),),
    ]


def test_a_rating_is_replaced_by_its_key_and_others_stay(home: Home) -> None:
    load(home, _batch())
    ratings = [
        Rating("made", "made:1", "made:rater-2", "score", 5),
        Rating("made", "made:1", "made:rater-3", "score", 1),
    ]
    report = load(home, _batch(ratings=ratings))
    assert report.tables["human_ratings"] == Counts(new=1, updated=1)
    assert query(home, "select annotator_id, value from raw.human_ratings order by 1") == [
        ("made:rater-1", 3.0),
        ("made:rater-2", 5.0),
        ("made:rater-3", 1.0),
    ]


def _failing_late(real: Callable[..., Any]) -> Callable[..., Any]:
    """Do what is to be done, then fail; of the upserts only the last, to leave most to undo."""
    calls = 0

    def act(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        done = real(*args, **kwargs)
        if calls == 5 or real.__name__ != "upsert":
            raise RuntimeError("as the test wants it")
        return done

    return act


def test_a_failure_at_any_step_leaves_all_as_it_was(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(home, _batch())
    changed = _batch(
        speeches=[Speech("made:3", "made", "made:d1", "Cleo", "New")],
        ratings=[Rating("made", "made:3", "made:rater-1", "score", 2)],
    )
    for module, step in (
        (ingestion.load, "upsert_from"),
        (ingestion.dataset_batch, "move_provisional"),
        (ingestion.load, "record_load"),
    ):
        with unchanged(home), monkeypatch.context() as patched:
            patched.setattr(module, step, _failing_late(getattr(module, step)))
            with pytest.raises(RuntimeError, match="as the test wants it"):
                load(home, changed)
    assert load(home, changed).new == 2


def test_a_disk_full_while_writing_items_says_so_and_the_next_load_repairs_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(ingestion.items, "write_atomically", full)
        with pytest.raises(NoSpace, match="full while writing the items of made"):
            load(home, _batch())
    assert not (home.items / "made" / "current.json").exists()
    assert load(home, _batch()).load_id is None
    assert pointer(home, "made")["rows"] == 2


def test_the_sample_loads_whole_and_is_marked_as_sample(sampled: Home) -> None:
    assert query(sampled, "from raw.quarantine") == []
    for table, count in (("debates", 12), ("speeches", 72)):
        assert (
            one(sampled, f"select count(*) from raw.{table} where dataset_id = 'sample'") == count
        )
    assert query(sampled, "select dataset_id, is_sample from raw.datasets order by 1") == [
        ("sample", True),
        ("sample-debate-log", True),
        ("sample-debates", True),
        ("sample-parliamentary", True),
        ("sample-questions", True),
        ("sample-stories", True),
    ]
    assert (
        one(
            sampled,
            "select min(n) from (select count(*) as n from raw.human_ratings "
            "where dataset_id = 'sample' group by annotator_id)",
        )
        >= 60
    )


def test_data_sets_do_not_touch_each_other(sampled: Home) -> None:
    before = query(sampled, "from raw.speeches order by item_id")
    load(sampled, _batch())
    others = "from raw.speeches where dataset_id <> 'made' order by item_id"
    assert query(sampled, others) == before
    assert load(sampled, _batch()).load_id is None


@pytest.mark.parametrize(
    ("cells", "rejected", "is_refused"),
    [
        (100, 5, False),
        (100, 6, True),
        # A file whose reader counts no cells: each counts as its record.
        (0, 1, False),
        (0, 2, True),
    ],
)
def test_rejected_cells_are_compared_with_cells_or_else_with_records(
    cells: int, rejected: int, is_refused: bool
) -> None:
    file = SourceFile("a.csv", "landing/0/a.csv", "0" * 64, records=20, cells=cells)
    rejects = [
        Reject("a.csv", f"record {number}", "x", "off", None, is_cells=True)
        for number in range(rejected)
    ]
    if is_refused:
        with pytest.raises(TooManyRejected):
            refuse_too_many([file], rejects, 0.05)
    else:
        refuse_too_many([file], rejects, 0.05)


def _side_debate(number: int, **about: Any) -> DebateRecord:
    of: dict[str, Any] = {"debate_id": f"sided:{number}", "dataset_id": "sided"}
    turns = [turn_of(of, 1, "Yes.", "Ann", side="pro"), turn_of(of, 2, "No.", "Ben", side="con")]
    outcomes = [outcome_of(of, "clarity", decided_by="readers", votes={"pro": 2}, **about)]
    debate = Debate(**of, motion="Trees", format="made", pro_name=f"Side {number}")
    return DebateRecord(debate, turns, outcomes)


@pytest.mark.parametrize("is_primary", [True, False])
def test_debates_without_a_primary_outcome_are_told_and_side_names_reach_the_items(
    home: Home, is_primary: bool
) -> None:
    batch = DatasetBatch(
        dataset=Dataset("sided", "Made up", "CC0"),
        files=[SourceFile("a.csv", "landing/0/a.csv", "0" * 64, 2)],
        records=[_side_debate(number, is_primary=is_primary) for number in (1, 2)],
    )
    notes = load(home, batch).notes
    assert [("no debate has a human winner" in note, "clarity" in note) for note in notes] == (
        [] if is_primary else [(True, True)]
    )
    winners = [row["winner"] for row in item_rows(home, "sided", "debates_reference")]
    assert winners == (["pro", "pro"] if is_primary else [])
    items = item_rows(home, "sided", "debates")
    assert [(row["pro_name"], row["con_name"]) for row in items] == [
        ("Side 1", None),
        ("Side 2", None),
    ]
