"""The released file of speeches: what it says is loaded to the character, what is wrong is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.batch import Reject
from ingestion.dataset_batch import DatasetBatch
from ingestion.landing import land
from ingestion.reading import BrokenRecord
from ingestion.sources.csv_cells import list_cell
from ingestion.speeches.readers.speeches import parse_speeches
from tests.ingestion.ingestion_files import (
    speech,
    write_csv,
)
from warehouse.home import Home
from warehouse.records.core import Debate, Speech
from warehouse.records.speeches import Rating

SCORES, RATERS = "goodopeningspeech", "labeler_ids"


class Parsed:
    """The rows and the rejects of a file."""

    def __init__(self, batch: DatasetBatch) -> None:
        rows = list(batch.records)
        self.debates = [row for row in rows if isinstance(row, Debate)]
        self.speeches = [row for row in rows if isinstance(row, Speech)]
        self.ratings = [row for row in rows if isinstance(row, Rating)]
        self.rejects = batch.counted().rejects


def _parsed(home: Home, tmp_path: Path, rows: list[dict[str, Any]]) -> Parsed:
    path = write_csv(tmp_path / "speeches.csv", rows)
    return Parsed(parse_speeches(land(home, path, source="speeches", licence="x", origin="x")))


def _reject(home: Home, tmp_path: Path, **changes: Any) -> tuple[Parsed, Reject]:
    batch = _parsed(home, tmp_path, [speech(0), {**speech(1), **changes}])
    (reject,) = batch.rejects
    assert reject.record == "record 2 (line 4)"
    return batch, reject


def test_ids_carry_the_data_set_and_the_sources_own_id(home: Home, tmp_path: Path) -> None:
    batch = _parsed(home, tmp_path, [speech(0)])
    assert [item.item_id for item in batch.speeches] == ["speeches:s-0"]
    assert [debate.debate_id for debate in batch.debates] == ["speeches:topic-100"]
    assert [(rating.annotator_id, rating.value) for rating in batch.ratings] == [
        ("speeches:rater-11", 5),
        ("speeches:rater-12", 3),
        ("speeches:rater-13", 1),
    ]


@pytest.mark.parametrize(
    ("scores", "raters"),
    [
        ("[5, 3, 1]", "[11, 12, 13]"),
        ("[5.0,3,1]", "['11', '12', '13']"),
        ("(5, 3, 1)".replace("(", "[").replace(")", ",]"), "[11.0, 12.0, 13.0]"),
    ],
)
def test_lists_may_be_json_or_python(home: Home, tmp_path: Path, scores: str, raters: str) -> None:
    batch = _parsed(home, tmp_path, [speech(0, **{SCORES: scores, RATERS: raters})])
    assert not batch.rejects
    assert [(rating.annotator_id, rating.value) for rating in batch.ratings] == [
        ("speeches:rater-11", 5),
        ("speeches:rater-12", 3),
        ("speeches:rater-13", 1),
    ]


def test_columns_nobody_knows_are_kept(home: Home, tmp_path: Path) -> None:
    batch = _parsed(home, tmp_path, [speech(0, motion_set="dev", year="2019")])
    assert json.loads(batch.speeches[0].extra or "") == {"motion_set": "dev", "year": "2019"}
    assert _parsed(home, tmp_path, [speech(0)]).speeches[0].extra is None


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({SCORES: "[5, 3]"}, RATERS, "names 3 people for 2 scores"),
        ({RATERS: "[11, 12]"}, RATERS, "names 2 people for 3 scores"),
        ({"#labelers": "4"}, "#labelers", "says 4 where labeler_ids names 3"),
        ({SCORES: ""}, SCORES, "should hold a list; found ''"),
        ({SCORES: "5"}, SCORES, "should hold a list; found '5'"),
        ({SCORES: "[5, 3, 1"}, SCORES, "should hold a list; found '[5, 3, 1'"),
        ({SCORES: "open('x')"}, SCORES, "should hold a list; found \"open('x')\""),
        ({SCORES: "[5" + ", 5" * 9000 + "]"}, SCORES, "of at most 20000 characters; found 27003"),
        ({RATERS: "[11, null, 13]"}, RATERS, "should hold ids; found None"),
        ({RATERS: "[11, 12.5, 13]"}, RATERS, "should hold ids; found 12.5"),
        ({"id": ""}, "id", "should hold an id; found ''"),
        ({"id": "s-0"}, "id", "duplicate id: speeches:s-0 is record 1 (line 2) already"),
        ({"topic_id": " "}, "topic_id", "should hold an id; found ' '"),
        ({"topic": "", "topic_id": "9"}, "topic", "should not be blank"),
        ({"topic": "Another motion"}, "topic", "debate speeches:topic-100 has the motion"),
        ({"source": ""}, "source", "should have at least 1 character"),
        ({"text": ""}, "text", "should not be blank"),
        ({"text": " \n "}, "text", "should not be blank"),
    ],
)
def test_a_record_that_makes_no_sense_is_rejected_whole(
    home: Home, tmp_path: Path, changes: dict[str, Any], field: str, reason: str
) -> None:
    batch, reject = _reject(home, tmp_path, **changes)
    assert reject.field == field
    assert reason in reject.reason
    assert json.loads(reject.original or "")["source"] == {**speech(1), **changes}["source"]
    assert len(batch.speeches) == 1
    assert len(batch.ratings) == 3


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ("[5, 9, 1]", "is off the scale 1 to 5: 9"),
        ("[5, 0, 1]", "is off the scale 1 to 5: 0"),
        ("[5, -1, 1]", "is off the scale 1 to 5: -1"),
        ("[5, 2.5, 1]", "should be a whole number; found 2.5"),
        ('[5, "four", 1]', "should be a number; found 'four'"),
        ('[5, "4", 1]', "should be a number; found '4'"),
        ("[5, null, 1]", "should be a number; found None"),
        ("[5, true, 1]", "should be a number; found True"),
        ("[5, NaN, 1]", "should be a finite number"),
        ("[5, Infinity, 1]", "should be a finite number"),
    ],
)
def test_one_impossible_score_is_rejected_alone(
    home: Home, tmp_path: Path, scores: str, reason: str
) -> None:
    batch, reject = _reject(home, tmp_path, **{SCORES: scores})
    assert reject.field == SCORES
    assert reason in reject.reason
    assert json.loads(reject.original or "")["annotator"] == "speeches:rater-12"
    assert len(batch.speeches) == 2
    assert [r.value for r in batch.ratings if r.item_id == "speeches:s-1"] == [5, 1]


def test_an_annotator_named_twice_in_a_record_counts_once(home: Home, tmp_path: Path) -> None:
    batch, reject = _reject(home, tmp_path, **{RATERS: "[11, 12, 11]"})
    assert reject.field == RATERS
    assert reject.reason.startswith("duplicate rating: speeches:rater-11")
    assert [r.value for r in batch.ratings if r.item_id == "speeches:s-1"] == [5, 3]


@pytest.mark.parametrize("nested", ["[" * 15_000, "(" * 15_000, "-" * 15_000 + "1"])
def test_a_list_nested_beyond_reason_is_no_list(nested: str) -> None:
    with pytest.raises(BrokenRecord, match="should hold a list"):
        list_cell({"cell": nested}, "cell")
