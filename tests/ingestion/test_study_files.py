"""A user's own study: two files named as they like, checked before anything is loaded."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import BadStudy, SourceUnreadable, TooManyRejected
from ingestion.ingest import check_study, ingest_study
from ingestion.speeches.readers.study import Study
from tests.ingestion.ingestion_files import (
    check_rejects,
    is_empty,
    one,
    pointer,
    query,
    unchanged,
    write_csv,
    write_jsonl,
)
from warehouse.home import Home

ITEMS = [
    {"essay": f"e{n}", "body": f"Essay number {n}", "theme": f"Theme {n % 2}"} for n in range(6)
]
RATINGS = [
    {"essay": f"e{n}", "rater": f"r{r}", "points": str(1 + (n + r) % 10)}
    for n in range(6)
    for r in range(4)
]
COLUMNS = {
    "item": "essay",
    "text": "body",
    "motion": "theme",
    "annotator": "rater",
    "value": "points",
}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(
        name="my-study",
        items=write_csv(tmp_path / "items.csv", ITEMS),
        ratings=write_csv(tmp_path / "ratings.csv", RATINGS),
        question="How good is this essay?",
        scale_min=1,
        scale_max=10,
        columns=COLUMNS,
    )


def _with_ratings(study: Study, rows: list[dict[str, Any]]) -> Study:
    return replace(study, ratings=write_csv(study.ratings.with_name("other.csv"), rows))


def test_items_and_ratings_load_under_the_studys_name(home: Home, study: Study) -> None:
    report = ingest_study(home, study)
    assert {name: counts.new for name, counts in report.tables.items()} == {
        "datasets": 1,
        "dimensions": 1,
        "debates": 2,
        "speeches": 6,
        "human_ratings": 24,
    }
    assert query(
        home,
        "select item_id, annotator_id, dimension, value from raw.human_ratings "
        "order by all limit 2",
    ) == [
        ("my-study:e0", "my-study:rater-r0", "score", 1.0),
        ("my-study:e0", "my-study:rater-r1", "score", 2.0),
    ]
    assert query(home, "select question, scale_min, scale_max from raw.dimensions") == [
        ("How good is this essay?", 1.0, 10.0)
    ]
    assert pointer(home, "my-study")["rows"] == 6


def test_each_table_says_which_of_the_two_files_it_comes_from_and_twice_changes_nothing(
    home: Home, study: Study
) -> None:
    ingest_study(home, study)
    with unchanged(home):
        assert ingest_study(home, study).load_id is None
    assert one(home, "select any_value(_source_file) from raw.speeches").endswith("items.csv")
    assert one(home, "select any_value(_source_file) from raw.human_ratings").endswith(
        "ratings.csv"
    )


def test_another_scale_is_refused_where_ratings_off_it_stay(home: Home, study: Study) -> None:
    ingest_study(home, study)
    few = [{**row, "points": "1"} for row in RATINGS if row["rater"] == "r0"]
    halved = [{**row, "points": "3"} for row in RATINGS]
    with (
        unchanged(home),
        pytest.raises(BadStudy, match="not in this load 15 are off the scale 1 to 3"),
    ):
        ingest_study(home, replace(_with_ratings(study, few), scale_min=1, scale_max=3))
    ingest_study(home, replace(_with_ratings(study, halved), scale_min=1, scale_max=3))
    assert one(home, "select max(value) from raw.human_ratings") == 3


def test_a_check_reads_everything_and_touches_nothing(home: Home, study: Study) -> None:
    report = check_study(study)
    assert (report.items, report.ratings, report.dimensions) == (6, 24, ("score",))
    assert not report.rejects
    assert report.refusal is None
    assert is_empty(home)
    assert not list(home.landing.iterdir())


def test_a_check_says_what_would_be_refused_and_why(study: Study) -> None:
    report = check_study(_with_ratings(study, [*RATINGS, {**RATINGS[0], "essay": "e77"}] * 2))
    assert report.refusal is not None
    assert "other.csv was refused" in report.refusal
    assert len(report.rejects) == 26


NO_RATINGS = [
    ({"essay": "e77"}, "essay", "unknown item: the items file has no valid 'e77'"),
    ({"essay": ""}, "essay", "should hold an id; it is empty"),
    ({"rater": " "}, "rater", "should hold an id; it is empty"),
    ({"points": "11"}, "points", "is off the scale 1 to 10: '11'"),
    ({"points": "good"}, "points", "should be a valid number"),
    ({"points": ""}, "points", "should be a valid number"),
    ({"points": "nan"}, "points", "should be a finite number"),
    ({"rater": "r0"}, None, "duplicate rating: record 1 (line 2) rates the same item"),
]


def test_ratings_that_make_no_sense_are_quarantined(home: Home, study: Study) -> None:
    bad = [{**RATINGS[0], "rater": "r9", **changes} for changes, *_ in NO_RATINGS]
    report = ingest_study(home, _with_ratings(study, [*RATINGS, *bad]), max_rejected=1)
    check_rejects(report.rejects, NO_RATINGS, first=25, place="record {0} (line {1})")
    assert report.tables["human_ratings"].new == 24
    assert set(query(home, "select source from raw.quarantine")) == {("my-study",)}


def test_the_limit_holds_for_each_file_on_its_own(home: Home, study: Study) -> None:
    items = write_csv(study.items.with_name("bad.csv"), [*ITEMS[:5], {**ITEMS[5], "body": " "}])
    # One of six items is over any sensible limit, though it is one of thirty records.
    with pytest.raises(TooManyRejected, match=r"bad.csv was refused .* 1 of 6 records") as caught:
        ingest_study(home, replace(study, items=items), max_rejected=0.1)
    assert "field 'body': should not be blank" in str(caught.value)
    assert is_empty(home)


def test_a_column_of_dimensions_makes_each_of_them_one(home: Home, study: Study) -> None:
    rows = [{**row, "aspect": aspect} for row in RATINGS for aspect in ("style", "logic")]
    other = _with_ratings(study, rows)
    report = ingest_study(home, replace(other, columns={**COLUMNS, "dimension": "aspect"}))
    assert report.tables["human_ratings"].new == 48
    assert query(home, "select dimension from raw.dimensions order by 1") == [
        ("logic",),
        ("style",),
    ]


def test_the_two_files_may_name_the_item_differently(
    home: Home, study: Study, tmp_path: Path
) -> None:
    renamed = [{"item" if key == "essay" else key: v for key, v in row.items()} for row in RATINGS]
    assert ingest_study(home, _with_ratings(study, renamed)).tables["human_ratings"].new == 24
    odd = [{"text_no" if key == "essay" else key: v for key, v in row.items()} for row in RATINGS]
    other = replace(_with_ratings(study, odd), columns={**COLUMNS, "ratings.item": "text_no"})
    assert ingest_study(home, other).tables["human_ratings"].unchanged == 24


def test_without_motions_every_item_stands_alone(home: Home, tmp_path: Path, study: Study) -> None:
    items = [{"item": row["essay"], "text": row["body"], "pages": "3"} for row in ITEMS]
    plain = replace(
        study,
        items=write_jsonl(tmp_path / "items.jsonl", items),
        columns={"ratings.item": "essay", "annotator": "rater", "value": "points"},
        title="Six essays",
    )
    ingest_study(home, plain)
    assert one(home, "select count(distinct debate_id) from raw.speeches") == 6
    assert query(home, "select distinct motion from raw.debates") == [("Six essays",)]
    assert query(home, "select distinct source, extra from raw.speeches") == [
        ("not stated", '{"pages": "3"}')
    ]


def test_a_debate_column_groups_items(home: Home, study: Study, tmp_path: Path) -> None:
    items = [{**row, "room": n // 3} for n, row in enumerate(ITEMS)]
    for row in items:
        row["theme"] = f"Room {row['room']}"
    other = replace(
        study,
        items=write_csv(tmp_path / "rooms.csv", items),
        columns={**COLUMNS, "debate": "room"},
    )
    ingest_study(home, other)
    assert query(home, "select debate_id, motion from raw.debates order by 1") == [
        ("my-study:debate-0", "Room 0"),
        ("my-study:debate-1", "Room 1"),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "speeches"}, "'speeches' cannot name a data set"),
        ({"name": "sample-debate-log"}, "'sample-debate-log' cannot name a data set"),
        ({"name": "My Study"}, "'My Study' cannot name a data set; expected small letters"),
        ({"scale_min": 5, "scale_max": 5}, "the scale 5 to 5 is empty"),
        ({"columns": {"txt": "body"}}, "no column 'txt' to map; for items there are item, text"),
        ({"question": " "}, "question should not be blank"),
        ({"dimension": ""}, "dimension .*at least 1 character"),
        ({"scale_max": float("inf")}, "scale_max should be a finite number"),
    ],
)
def test_a_study_described_wrongly_is_refused(
    home: Home, study: Study, changes: dict[str, Any], message: str
) -> None:
    wrong = replace(study, **changes)
    for act in (lambda: check_study(wrong), lambda: ingest_study(home, wrong)):
        with pytest.raises(BadStudy, match=message):
            act()
    assert is_empty(home)


def test_a_mapped_column_that_is_not_there_is_named_with_those_that_are(study: Study) -> None:
    with pytest.raises(SourceUnreadable, match=r"lacks the column 'prose'; it has 'essay', 'body'"):
        check_study(replace(study, columns={**COLUMNS, "text": "prose"}))
    with pytest.raises(SourceUnreadable, match=r"gone\.csv does not exist"):
        check_study(replace(study, items=study.items.with_name("gone.csv")))


def test_the_name_of_a_study_may_have_an_underscore(home: Home, study: Study) -> None:
    ingest_study(home, replace(study, name="my_study"))
    assert query(home, "select dataset_id from raw.datasets") == [("my_study",)]
