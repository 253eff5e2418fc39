from datetime import date

import duckdb
import pytest

from dashboard.core import data, queries
from dashboard.core.data import View, ask, ask_freely, frame_of
from warehouse.errors import QueryFailed
from warehouse.free_sql.queries import Limits
from warehouse.reader import Result, Version, connect, run_query

VIEW = View("sample", "goodopeningspeech", ("speech_score",), ("simulated/faithful", "rule/length"))


@pytest.mark.parametrize(
    "question",
    [
        queries.rater_agreement,
        queries.rank_agreement,
        queries.score_distribution,
        queries.source_scores,
        queries.source_agreement,
        queries.worst_disagreements,
    ],
)
def test_the_query_shown_to_readers_gives_the_numbers_on_the_page(demo, question):
    answer = question(demo, VIEW)
    again = frame_of(run_query(demo, answer.sql))
    assert len(answer.frame) > 0
    assert "$" not in answer.sql
    assert answer.frame.equals(again)


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("select $a as a, $b as b", {"a": "x' or 'y", "b": ["it's", "$a"]}),
        ("select $a is null as a, $b as b", {"a": None, "b": [1, None]}),
        ("select $a as a, $b as b", {"a": True, "b": 0.5}),
        ("select $a as a, $b as b", {"a": date(2026, 1, 2), "b": float("inf")}),
        ("select 'it''s $word' as a, \"$b\" from (select 2 as \"$b\") -- $c", {}),
        ("select $dataset_a as a", {"dataset": "wrong", "dataset_a": "right"}),
    ],
)
def test_a_query_gives_the_same_rows_with_its_values_filled_in(demo, sql, values):
    answer = ask(demo, sql, **values)
    copied = run_query(demo, answer.sql).rows
    assert [tuple(row.values()) for row in answer.rows] == [tuple(row) for row in copied]


def test_a_query_is_answered_from_the_cache_until_another_version_is_published(
    publish, monkeypatch
):
    asked = []

    def counted(version: Version, *rest, **more) -> Result:
        asked.append(version.name)
        return run_query(version, *rest, **more)

    monkeypatch.setattr(data, "run_query", counted)
    first = publish(number=1)
    for _ in range(3):
        ask(first, "select version from publication")
    ask(first, "select version as another from publication")
    second = publish(number=2)
    answer = ask(second, "select version from publication")
    assert asked == [first.name, first.name, second.name]
    assert answer.frame["version"].tolist() == [second.name]


def test_a_free_query_is_cut_at_the_cap_and_says_so(demo):
    result = ask_freely(demo, "select range from range(6000)")
    assert len(result.rows) == data.ROWS_SHOWN
    assert result.truncated


def test_a_free_query_that_takes_too_long_is_stopped(demo, monkeypatch):
    monkeypatch.setattr(data, "FREE_LIMITS", Limits(0.3))
    with pytest.raises(QueryFailed, match=r"stopped after 0\.3 s"):
        ask_freely(demo, "select count(*) from range(100000000000) where range % 7 = 3")


@pytest.mark.parametrize(
    "query",
    [
        "copy rpt_rank_agreement to 'stolen.csv'",
        "delete from rpt_rank_agreement",
        "create table mine as select 1",
        "attach 'other.duckdb'",
        "select * from read_csv('/etc/passwd')",
        "set enable_external_access = true",
    ],
)
def test_a_free_query_can_neither_write_nor_leave_the_file(demo, query):
    with pytest.raises(QueryFailed):
        ask_freely(demo, query)


def test_columns_of_one_name_are_all_kept(demo):
    frame = frame_of(ask_freely(demo, "select 1 as a, 2 as a, 3 as a"))
    assert frame.to_dict("records") == [{"a": 1, "a (2)": 2, "a (3)": 3}]


def test_a_page_run_keeps_its_version_while_another_is_published(publish):
    publish(number=1)
    with data.one_version() as version:
        publish(number=2)
        assert data.version_of_run() == version
        assert data.newest_version().number == 2
    assert data.version_of_run() is None


def test_all_readers_share_one_connection_until_two_newer_versions_are_asked(publish, monkeypatch):
    opened = {}

    def counted(version: Version, *, can_search: bool) -> duckdb.DuckDBPyConnection:
        assert version.name not in opened
        opened[version.name] = connect(version, can_search=can_search)
        return opened[version.name]

    monkeypatch.setattr(data, "connect", counted)
    first, second, third = (publish(number=number) for number in (1, 2, 3))
    for number in range(3):
        ask(first, f"select {number} as opened_once")
    ask(second, "select 1 as opened_once")
    opened[first.name].execute("select 1")
    ask(third, "select 1 as opened_once")
    opened[second.name].execute("select 1")
    with pytest.raises(duckdb.ConnectionException):
        opened[first.name].execute("select 1")


def test_who_changes_an_answer_changes_it_for_nobody_else(demo):
    sql = "select 1 as number, 'as it was' as said"
    mine = ask(demo, sql).frame
    mine["number"] = 2
    mine.loc[0, "said"] = "changed"
    mine["more"] = 3
    assert ask(demo, sql).frame.to_dict("records") == [{"number": 1, "said": "as it was"}]
