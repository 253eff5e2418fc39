"""The hub's parent data set, whose score columns may hold lists or means: neither is guessed."""

import hashlib
import json
from pathlib import Path
from typing import Any

from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import check_rejects, ibm_speech, one, query, write_parquet
from warehouse.home import Home


def _ingest(home: Home, tmp_path: Path, rows: list[dict[str, Any]], limit: float = 0.05) -> Any:
    path = write_parquet(tmp_path / "train-0.parquet", rows)
    return ingest(home, "speeches-ibm", path, max_rejected=limit)


def test_lists_become_ratings_by_people_of_that_speech_alone(home: Home, tmp_path: Path) -> None:
    report = _ingest(home, tmp_path, [ibm_speech(0), ibm_speech(1)])
    assert report.tables["human_ratings"].new == 12
    assert report.tables["dimensions"].new == 3
    assert not report.notes
    short = hashlib.sha256(b"7|Anna|Speech 0").hexdigest()[:12]
    found = query(
        home,
        "select item_id, annotator_id, value from raw.human_ratings "
        f"where item_id = 'speeches-ibm:{short}' and dimension = 'interestingspeaker' order by 2",
    )
    assert found == [
        (f"speeches-ibm:{short}", f"speeches-ibm:{short}-rater-1", 1.0),
        (f"speeches-ibm:{short}", f"speeches-ibm:{short}-rater-2", 2.0),
    ]
    assert one(home, "select count(distinct annotator_id) from raw.human_ratings") == 4


def test_means_are_kept_with_the_speech_and_never_counted_as_ratings(
    home: Home, tmp_path: Path
) -> None:
    rows = [ibm_speech(0), ibm_speech(1, goodopeningspeech="3.6", mostargumentssupport="4")]
    report = _ingest(home, tmp_path, rows)
    assert report.tables["human_ratings"].new == 8
    assert [note.split(":")[0] for note in report.notes] == [
        "1 speeches have one number in 'goodopeningspeech' instead of a list of scores",
        "1 speeches have one number in 'mostargumentssupport' instead of a list of scores",
    ]
    extras = [json.loads(extra) for (extra,) in query(home, "select extra from raw.speeches")]
    assert {
        "mean_goodopeningspeech": 3.6,
        "mean_mostargumentssupport": 4.0,
        "labelers": "2",
        "motion_set": "dev",
    } in extras


NEITHER = [
    ({"goodopeningspeech": "very"}, "goodopeningspeech", "or a mean between 1 and 5; found 'v"),
    ({"goodopeningspeech": "7.5"}, "goodopeningspeech", "or a mean between 1 and 5; found '7"),
    ({"goodopeningspeech": "nan"}, "goodopeningspeech", "or a mean between 1 and 5; found 'n"),
    ({"goodopeningspeech": None}, "goodopeningspeech", "found None"),
    ({"goodopeningspeech": "[4]"}, "#labelers", "says 2 where goodopeningspeech has 1 scores"),
    ({"goodopeningspeech": "[4, 6]"}, "goodopeningspeech", "off the scale"),
    ({"topic_id": None}, "topic_id", "should hold an id; found None"),
    ({"text": "Speech 0"}, "text", "duplicate id"),
]


def test_what_is_neither_is_rejected_saying_what_was_met(home: Home, tmp_path: Path) -> None:
    bad = [ibm_speech(number, **row[0]) for number, row in enumerate(NEITHER, start=1)]
    report = _ingest(home, tmp_path, [ibm_speech(0), *bad], limit=1)
    check_rejects(report.rejects, NEITHER, first=2, place="record {0}")
