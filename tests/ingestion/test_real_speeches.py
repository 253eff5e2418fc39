"""The released files themselves, where they are at hand."""

from pathlib import Path

import pytest

from ingestion.batch import Counts
from ingestion.ingest import ingest
from tests.ingestion.ingestion_files import one, query, unchanged
from warehouse.home import Home

pytestmark = pytest.mark.shared


def test_the_released_speeches_load_whole_and_a_second_load_changes_nothing(
    home: Home, shared_data: Path
) -> None:
    path = shared_data / "speeches" / "speeches.csv"
    report = ingest(home, "speeches", path)
    assert report.quarantined == 0
    assert report.tables["speeches"] == Counts(new=631)
    assert report.tables["human_ratings"] == Counts(new=9465)
    assert report.tables["debates"] == Counts(new=76)
    assert one(home, "select count(distinct annotator_id) from raw.human_ratings") == 82
    assert query(home, "select value, count(*) from raw.human_ratings group by 1 order by 1") == [
        (1.0, 660),
        (2.0, 1387),
        (3.0, 1042),
        (4.0, 4310),
        (5.0, 2066),
    ]
    assert (
        one(
            home,
            "select sum(length(text) - length(rtrim(text, e' \\n')) > 0)::int from raw.speeches",
        )
        == 455
    )
    with unchanged(home):
        assert ingest(home, "speeches", path).load_id is None


@pytest.mark.parametrize("first", ["speeches.csv", "gpt_4_1_speeches.csv"])
def test_the_unrated_speeches_join_the_76_debates_in_either_order(
    home: Home, shared_data: Path, first: str
) -> None:
    names = sorted(("speeches.csv", "gpt_4_1_speeches.csv"), key=lambda name: name != first)
    for name in names:
        assert ingest(home, "speeches", shared_data / "speeches" / name).quarantined == 0
    assert one(home, "select count(*) from raw.debates") == 76
    assert query(
        home,
        "select source = 'gpt-4.1', count(*), count(distinct debate_id) from raw.speeches "
        "group by 1 order by 1",
    ) == [(False, 631, 76), (True, 152, 76)]
    assert one(home, "select count(*) from raw.speeches where debate_id like '%motion%'") == 0
    assert one(home, "select count(*) from raw.human_ratings") == 9465
