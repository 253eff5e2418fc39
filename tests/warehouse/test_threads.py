"""Threads of a build: one for each row group of what is loaded."""

import os

import duckdb
import pytest

from warehouse.threads import ROW_GROUP, threads_of


@pytest.mark.parametrize(
    ("rows", "threads"),
    [(0, 1), (ROW_GROUP - 1, 1), (ROW_GROUP, 2), (5 * ROW_GROUP, 6), (100 * ROW_GROUP, 8)],
)
def test_there_is_a_thread_for_each_row_group_and_none_above_the_processors(
    rows: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    with duckdb.connect() as connection:
        connection.execute("create schema raw; create schema marts")
        connection.execute("create table raw.small as select 1 as x")
        connection.execute(f"create table raw.large as select range as x from range({rows})")
        connection.execute("create table marts.larger as select range as x from range(2000000)")
        assert threads_of(connection) == threads


def test_before_anything_is_loaded_there_is_one() -> None:
    with duckdb.connect() as connection:
        assert threads_of(connection) == 1
