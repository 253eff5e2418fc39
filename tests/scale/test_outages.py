"""A lake whose store, or whose place for what memory does not hold, fails while it is built."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.scale import ratings
from tests.scale.conftest import EmptyLake, Postgres, Store, copy_lake
from tests.scale.ratings import ROWS_PER_LOAD, build_ratings, load_ratings, read_ratings
from warehouse import publish
from warehouse.errors import LakeError, NotEnoughSpace
from warehouse.home import Home
from warehouse.reader import Version, current_version, published_versions, run_query
from warehouse.writer import build_connection, write_lock, writer_of

pytestmark = [pytest.mark.scale("psycopg2", "duckdb_extension_ducklake", "moto"), pytest.mark.slow]
# What the store is away at the beginning of, and whether readers see the new version by then.
MOMENTS: tuple[tuple[Any, str, bool], ...] = (
    # Between two marts.
    (ratings, "build_counts", False),
    (publish, "_copy_marts", False),
    (publish, "tidy", True),
)


@contextmanager
def before_call(
    patch: pytest.MonkeyPatch, module: Any, name: str, happen: Callable[[], None]
) -> Iterator[None]:
    """Let something happen right before a function is called."""
    function = getattr(module, name)

    def patched(*given: Any, **named: Any) -> Any:
        happen()
        return function(*given, **named)

    with patch.context() as patched_only_here:
        patched_only_here.setattr(module, name, patched)
        yield


@pytest.mark.parametrize("lake", ["s3"], indirect=True)
def test_a_store_that_is_away_while_a_lake_is_built_costs_no_load_and_no_version(
    home: Home, lake: str, s3: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_ratings(home, "first", 0)
    version = build_ratings(home)
    for module, name, is_published in MOMENTS:
        load_ratings(home, name, 0)
        named = "the store of s3://.* does not answer; check AWS_ENDPOINT_URL"
        try:
            with (
                before_call(monkeypatch, module, name, s3.stop),
                pytest.raises(LakeError, match=named),
            ):
                build_ratings(home)
        finally:
            s3.start_again()
        assert writer_of(home) is None
        assert (current_version(home).name != version.name) == is_published
        assert set(map(read_ratings, published_versions(home))) == {(0, 0)}
    assert rows_of(build_ratings(home)) == (1 + len(MOMENTS)) * ROWS_PER_LOAD


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_a_build_without_room_for_what_memory_does_not_hold_says_so(home: Home, lake: str) -> None:
    load_ratings(home, "annotator", 0)
    version = build_ratings(home)
    with pytest.raises(NotEnoughSpace, match=rf"the disk of {lake}/, of {home.root} or of Post"):
        build_what_is_spilled(home)
    assert writer_of(home) is None
    assert rows_of(version) == ROWS_PER_LOAD
    load_ratings(home, "annotator", 1)
    assert rows_of(build_ratings(home)) == 2 * ROWS_PER_LOAD


def build_what_is_spilled(home: Home) -> None:
    with write_lock(home, "build"), build_connection(home) as connection:
        connection.execute("set memory_limit = '64MB'")
        # By itself DuckDB takes what is free there as its limit.
        connection.execute("set max_temp_directory_size = '1MB'")
        connection.execute(
            "create table main.fct_large as select hash(n) as key, hash(n + 1) as other "
            "from range(10_000_000) as t(n) order by key"
        )


def test_a_build_in_a_folder_without_room_says_so_and_goes_on(
    home: Home,
    empty_lake: EmptyLake,
    postgres: Postgres,
    resized: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = resized("64m")
    copy_lake(empty_lake, postgres, str(place / "data"), monkeypatch)
    load_ratings(home, "annotator", 0)
    version = build_ratings(home)
    load_ratings(home, "annotator", 1)
    resized(f"{shutil.disk_usage(place).used // 1024}k")
    with pytest.raises(NotEnoughSpace, match=rf"the disk of {place}/data/, of {home.root} or of"):
        build_ratings(home)
    with pytest.raises(NotEnoughSpace, match=rf"the disk of {place}/data/, of {home.root} or of"):
        load_ratings(home, "annotator", 2)
    assert writer_of(home) is None
    assert [each.name for each in published_versions(home)] == [version.name]
    assert read_ratings(version) == (0, 0)
    resized("64m")
    load_ratings(home, "annotator", 2)
    assert rows_of(build_ratings(home)) == 3 * ROWS_PER_LOAD


def rows_of(version: Version) -> int:
    rows: int = run_query(version, "select count(*) from fct_rating").rows[0][0]
    return rows
