"""Judges and ensembles in raw follow the settings files."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from ingestion.batch import Counts
from ingestion.judge_tables import load_judges
from tests.ingestion.ingestion_files import query, unchanged
from warehouse.home import Home
from warehouse.records.core import JudgeRow

A = JudgeRow("rule/a", "rule", "a", "{}", "1111", family=None)
B = JudgeRow("openai/b", "openai", "b", '{"t": 1}', "2222", family="gpt", size_b_params=8.5)


def test_judges_and_ensembles_are_loaded_as_they_are_given(home: Home) -> None:
    report = load_judges(home, [A, B], {"both": ["rule/a", "openai/b"]})
    assert report.tables == {"judges": Counts(2), "ensembles": Counts(2)}
    assert query(home, "from raw.judges select * exclude (_loaded_at) order by judge_id") == [
        ("openai/b", "openai", "b", '{"t": 1}', "2222", "gpt", 8.5, "judges.toml"),
        ("rule/a", "rule", "a", "{}", "1111", None, None, "judges.toml"),
    ]
    assert query(home, "select ensemble, judge_id from raw.ensembles order by 2") == [
        ("both", "openai/b"),
        ("both", "rule/a"),
    ]


def test_loading_the_same_again_leaves_no_trace(home: Home) -> None:
    load_judges(home, [A, B], {"both": ["rule/a", "openai/b"]})
    with unchanged(home):
        assert load_judges(home, [B, A], {"both": ["openai/b", "rule/a"]}).load_id is None


def test_a_changed_judge_is_updated_and_a_dropped_one_stays(home: Home) -> None:
    load_judges(home, [A, B], {})
    report = load_judges(home, [replace(B, family="gpt-4")], {})
    assert report.tables["judges"] == Counts(updated=1)
    assert query(home, "select judge_id, family from raw.judges order by 1") == [
        ("openai/b", "gpt-4"),
        ("rule/a", None),
    ]


def test_ensembles_are_replaced_as_a_whole(home: Home) -> None:
    load_judges(home, [A], {"one": ["rule/a"], "two": ["rule/a", "openai/b"]})
    report = load_judges(home, [A], {"two": ["rule/a", "rule/c"]})
    assert report.tables["ensembles"] == Counts(new=1, updated=2, unchanged=1)
    assert query(home, "select ensemble, judge_id from raw.ensembles order by 2") == [
        ("two", "rule/a"),
        ("two", "rule/c"),
    ]
    load_judges(home, [], {})
    assert query(home, "from raw.ensembles") == []


@pytest.mark.parametrize("judge_id", ["human/a", "ensemble/a", "gpt", "a/b c", "a/..", "A/b"])
def test_an_id_that_is_no_judge_cannot_be_one(judge_id: str) -> None:
    with pytest.raises(ValidationError):
        replace(A, judge_id=judge_id)
