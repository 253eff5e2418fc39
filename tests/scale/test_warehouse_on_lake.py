"""What holds of publishing and reading holds on a lake: the file's own tests, run again on one."""

import os
from pathlib import Path

import pytest

from tests.warehouse import test_publish_under_readers as under_readers
from tests.warehouse.test_publish import (  # noqa: F401
    STOLEN,
    build,
    test_a_broken_rule_is_named_with_its_model_and_one_of_its_rows,
    test_a_build_cut_short_is_refused,
    test_a_build_that_is_not_whole_is_refused_by_name,
    test_a_failed_test_whose_rows_name_no_rule_is_named_itself,
    test_a_passed_build_is_published_with_its_descriptions_and_nothing_else,
    test_data_loaded_since_the_build_are_named,
    test_nothing_built_and_nothing_published_say_what_to_do,
    test_old_versions_are_pruned_and_open_readers_keep_theirs,
    test_what_an_earlier_dbt_wrote_does_not_vouch_for_one_that_died_at_its_start,
)
from warehouse.errors import QueryFailed
from warehouse.free_sql.queries import Limits, run_freely
from warehouse.home import Home
from warehouse.publish import publish
from warehouse.reader import run_query

pytestmark = [
    pytest.mark.scale,
    pytest.mark.slow,
    pytest.mark.usefixtures("lake"),
    pytest.mark.parametrize("lake", ["folder"], indirect=True),
]


def test_publishes_under_readers_show_whole_versions_only(home: Home) -> None:
    # Three versions in all, of which none goes under whoever reads it.
    under_readers.test_publishes_under_readers_show_whole_versions_only(home, 2, 4, 1)


def test_a_reader_can_neither_write_nor_leave_the_version(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build(home)
    version = publish(home, code_version="1")
    before = sorted(os.listdir(tmp_path))
    # Loaded before the version is closed off, it is there for whoever asks for it.
    for sql in (each for each in STOLEN if each != "load httpfs"):
        with pytest.raises(QueryFailed):
            run_query(version, sql)
    assert sorted(os.listdir(tmp_path)) == before
    assert run_query(version, "from rpt_thing").rows == [(1,)]


def test_opening_the_lake_leaves_a_free_query_most_of_its_memory(home: Home) -> None:
    build(home)
    version = publish(home, code_version="1")
    limits = Limits(memory_bytes=Limits().memory_bytes // 2)
    assert run_freely(version, "from rpt_thing", limits).rows == [(1,)]
