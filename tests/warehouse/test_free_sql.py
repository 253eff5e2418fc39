"""Queries that anybody wrote: whatever they ask for, they end in time and leave nothing behind."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import duckdb
import psutil
import pytest
from test_publish import published

from warehouse.errors import QueryFailed, VersionGone
from warehouse.free_sql import queries
from warehouse.free_sql.queries import AT_ONCE, Limits, limits_of, run_freely, run_on_newest
from warehouse.home import Home
from warehouse.reader import Version, run_query

LIMITS = Limits(max_rows=100)
# Half of what is allowed: filling memory takes most of the time of a query for too much.
HALF = Limits(max_rows=100, memory_bytes=LIMITS.memory_bytes // 2)


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Version:
    name = "v000001-20261122T120000Z"
    path = tmp_path_factory.mktemp("published") / f"{name}.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table rpt_thing as select range as n from range(50000)")
        connection.execute("comment on column rpt_thing.n is 'A number.'")
    return Version(name, path, datetime(2026, 11, 22, 12, tzinfo=UTC))


@pytest.fixture(autouse=True)
def _nothing_is_left(version: Version) -> Iterator[None]:
    yield
    assert [path.name for path in version.path.parent.iterdir()] == [version.path.name]
    assert not _children()


def _children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and any("free_sql/child" in part for part in child.cmdline())
    ]


@pytest.mark.parametrize("query", ["describe rpt_thing", 'DESC table "RPT_thing" ;'])
def test_describe_explains_the_columns_of_a_table(version: Version, query: str) -> None:
    found = run_freely(version, query, LIMITS)
    assert found.columns == ["column_name", "column_type", "meaning"]
    assert found.rows == [("n", "BIGINT", "A number.")]
    with pytest.raises(QueryFailed):
        run_freely(version, "describe rpt_gone", LIMITS)


@pytest.mark.parametrize(
    ("query", "limits"),
    [
        ("select list(range(100000000)) from range(100)", LIMITS),
        ("select list(range(50000000)) from range(100)", HALF),
        ("explain select range(50000000)", HALF),
        ("select repeat('x', 500000000)", HALF),
        ("select list(a.range) from range(100000) a, range(100000) b", HALF),
    ],
)
def test_a_query_for_too_much_ends_soon_and_under_its_limit(
    version: Version, query: str, limits: Limits
) -> None:
    largest = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            for child in psutil.Process().children():
                largest[0] = max(largest[0], child.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.monotonic()
    # One of them may be answered: it asks for a plan only.
    said = "memory"
    try:
        run_freely(version, query, limits)
    except QueryFailed as error:
        said = str(error)
    took = time.monotonic() - started
    done.set()
    watcher.join()
    assert "memory" in said or "stopped after 10 s" in said
    assert took < 20
    assert 0 < largest[0] < limits.memory_bytes


def test_a_query_that_takes_too_long_is_stopped(version: Version) -> None:
    started = time.monotonic()
    with pytest.raises(QueryFailed, match=r"stopped after 1 s; .*rostrum sql --timeout"):
        run_freely(
            version, "select count(*) from range(100000000000) where range % 7 = 3", Limits(1)
        )
    assert time.monotonic() - started < 10


def test_too_many_rows_are_cut_and_too_large_an_answer_is_refused(version: Version) -> None:
    capped = run_freely(version, "select n from rpt_thing order by n", Limits(max_rows=2500))
    assert (len(capped.rows), capped.truncated) == (2500, True)
    assert capped.rows[-1] == (2499,)
    whole = run_freely(version, "select n from rpt_thing", Limits(max_rows=50_000))
    assert (len(whole.rows), whole.truncated) == (50_000, False)
    with pytest.raises(QueryFailed, match="the answer is larger than"):
        run_freely(version, "from rpt_thing", Limits(answer_bytes=10_000))
    with pytest.raises(QueryFailed, match="the answer is larger than"):
        run_freely(version, "select repeat('x', 1000000)", Limits(answer_bytes=10_000))


@pytest.mark.parametrize(
    "query",
    [
        "call enable_logging(storage='file', storage_path='{folder}/log')",
        "from enable_logging(storage='file', storage_path='{folder}/log')",
        "from query('from ena' || 'ble_logging(storage=''file'', storage_path=''{folder}/log/'')')",
        "export database '{folder}/{name}.duckdb.tmp/out'",
        "copy rpt_thing to '{folder}/{name}.duckdb.tmp/out.csv'",
        "copy (select 1) to '{folder}/{name}.duckdb.wal'",
        "explain analyze copy (select 1) to '{folder}/{name}.duckdb.wal'",
        "copy (select 1) to '{folder}/{name}.duckdb'",
        "attach '{folder}/{name}.duckdb.tmp/other.duckdb'",
        "attach '{folder}/{name}.duckdb' as again",
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('{folder}/{name}.duckdb')",
        "from glob('{folder}/*')",
        "from '{folder}/{name}.duckdb'",
        "install json",
        "load json",
        "set memory_limit = '8GB'",
        "pragma threads = 8",
        "reset disabled_filesystems",
        "delete from rpt_thing",
        "create table mine as select 1",
        "checkpoint",
        "select 1; vacuum",
        "",
    ],
)
def test_what_is_not_a_query_is_refused_and_writes_nothing(version: Version, query: str) -> None:
    before = version.path.read_bytes()
    with pytest.raises(QueryFailed) as refused:
        run_freely(
            version,
            query.replace("{folder}", str(version.path.parent)).replace("{name}", version.name),
            LIMITS,
        )
    assert version.path.read_bytes() == before
    assert run_query(version, "select count(*) from rpt_thing").rows == [(50_000,)]
    assert "sql: " in str(refused.value)


def test_of_several_queries_none_is_answered(version: Version) -> None:
    with pytest.raises(QueryFailed, match="several queries, and one is answered"):
        run_freely(version, "select 1; select 2", LIMITS)
    pivoted = "pivot (select 1 as a, 2 as b) on a using sum(b);"
    assert run_freely(version, pivoted, LIMITS).rows == [(2,)]
    own = "create temp macro twice(n) as 2 * n; select twice(3)"
    assert run_freely(version, own, LIMITS).rows == [(6,)]


@pytest.mark.parametrize(
    "query",
    [
        "from duckdb_databases()",
        "pragma database_list",
        "from duckdb_settings()",
        "select current_setting('allowed_paths'), current_setting('temp_directory')",
        "select {'a': [path]} from duckdb_databases()",
        "select error(path) from duckdb_databases()",
        "from '../elsewhere.csv'",
    ],
)
def test_no_answer_names_a_folder_of_this_machine(version: Version, query: str) -> None:
    try:
        said = str(run_freely(version, query, LIMITS).rows)
    except QueryFailed as error:
        said = str(error)
    assert str(version.path.parent) not in said
    assert os.getcwd() not in said


def test_a_query_finds_none_of_this_process_s_environment(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    plain = subprocess.Popen

    def noted(*arguments: object, **settings: object) -> subprocess.Popen[bytes]:
        seen.append(settings["env"])
        return plain(*arguments, **settings)

    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setattr(subprocess, "Popen", noted)
    run_freely(version, "select 1", LIMITS)
    assert "OPENAI_API_KEY" not in seen[0]


def test_a_process_that_dies_is_an_error_by_name(version: Version) -> None:
    def kill() -> None:
        while not (found := _children()):
            time.sleep(0.01)
        found[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(QueryFailed, match=r"ended its process \(SIGKILL\)"):
        run_freely(version, "select count(*) from range(100000000000)", LIMITS)
    killer.join()


def test_more_than_a_few_queries_at_once_are_told_to_come_again(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "_PATIENCE_S", 0.2)
    slow = "select count(*) from range(100000000000) where range % 7 = 3"
    with ThreadPoolExecutor(AT_ONCE) as threads:
        running = [threads.submit(run_freely, version, slow, Limits(2)) for _ in range(AT_ONCE)]
        while len(_children()) < AT_ONCE:
            time.sleep(0.01)
        with pytest.raises(QueryFailed, match=f"busy: {AT_ONCE} free queries run already"):
            run_freely(version, "select 1", LIMITS)
        # The dashboard's own queries go another way.
        assert run_query(version, "select count(*) from rpt_thing").rows == [(50_000,)]
        for one in running:
            with pytest.raises(QueryFailed, match="stopped after 2 s"):
                one.result()
    assert run_freely(version, "select 1", LIMITS).rows == [(1,)]


def test_a_query_dies_with_the_process_that_asked(version: Version) -> None:
    script = (
        "import sys; from pathlib import Path; from datetime import datetime\n"
        "from warehouse.free_sql.queries import Limits, run_freely\n"
        "from warehouse.reader import Version\n"
        f"version = Version({version.name!r}, Path({str(version.path)!r}), datetime.now())\n"
        "run_freely(version, 'select count(*) from range(100000000000)', Limits(60))\n"
    )
    parent = psutil.Popen([sys.executable, "-c", script])
    while not parent.children():
        time.sleep(0.02)
    children = parent.children()
    time.sleep(0.5)
    parent.kill()
    parent.wait(10)
    _, alive = psutil.wait_procs(children, timeout=5)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []


def test_values_arrive_as_duckdb_gives_them(version: Version) -> None:
    query = (
        "select 170141183460469231731687303715884105727::hugeint as big, [1, null] as list, "
        "{'a': date '2026-01-01', 'b': [1.5::decimal(4, 2)]} as struct, interval '-1 day 2 seconds' as span, "
        "date '2026-01-01' as day, time '12:30:01.5' as clock, "
        "'00000000-0000-0000-0000-000000000001'::uuid as id, '\\x00\\xFF'::blob as bytes, "
        "null as nothing, 0.1 + 0.2::double as float, 'nan'::double as nan, '-inf'::double as low, "
        "map {1: 'k', 2: 'l'} as pairs, timestamp '2026-01-01 00:00:00.25' as moment, "
        "timestamptz '2026-01-01 00:00:00+00' as zoned, 'ü\"\\ \n ✓' as text, true as yes, "
        "{'str': 'a key that is a tag'} as tag, 'a' as twice, 'b' as twice"
    )
    free, own = run_freely(version, query, LIMITS), run_query(version, query)
    assert [str(value) for value in free.rows[0]] == [str(value) for value in own.rows[0]]
    assert [type(value) for value in free.rows[0]] == [type(value) for value in own.rows[0]]
    assert (free.columns, free.types) == (own.columns, own.types)


@pytest.mark.parametrize(
    "query",
    [
        "pivot rpt_thing on n % 3 using count(*)",
        "describe rpt_thing",
        "show tables",
        "summarize rpt_thing",
        "with these as (from rpt_thing) select count(*) from these",
        "values (1)",
        "pragma table_info('rpt_thing')",
    ],
)
def test_every_way_to_ask_is_answered(version: Version, query: str) -> None:
    assert run_freely(version, query, LIMITS).rows


def test_limits_can_be_raised_by_hand(version: Version) -> None:
    query = "select len(list(range)) from range(30000000)"
    with pytest.raises(QueryFailed, match=r"0\.4 GB of memory"):
        run_freely(version, query, limits_of(seconds=10, memory_gb=0.4))
    assert run_freely(version, query, limits_of(seconds=300, memory_gb=4)).rows == [(30_000_000,)]


@pytest.fixture
def pruned_on_opening(home: Home, monkeypatch: pytest.MonkeyPatch) -> Version:
    """The first of two versions; it goes when the first query's process is started."""
    made = [published(home, number) for number in (1, 2)]
    first = made[0]
    monkeypatch.setattr("warehouse.free_sql.queries.current_version", lambda _: made.pop(0))
    start = subprocess.Popen

    def start_late(*arguments: Any, **named: Any) -> subprocess.Popen[bytes]:
        first.path.unlink(missing_ok=True)
        return start(*arguments, **named)

    monkeypatch.setattr("warehouse.free_sql.queries.subprocess.Popen", start_late)
    return first


def test_a_version_pruned_before_it_is_opened_is_named_or_the_newest_takes_its_place(
    home: Home, pruned_on_opening: Version
) -> None:
    with pytest.raises(VersionGone, match=f"{pruned_on_opening.name} is no longer kept; run the"):
        run_freely(pruned_on_opening, "select n from rpt_thing", LIMITS)
    assert run_on_newest(home, "select n from rpt_thing", LIMITS).rows == [(2,)]


def test_a_version_that_cannot_be_opened_is_named_with_what_to_do(home: Home) -> None:
    version = published(home, 1)
    version.path.chmod(0o644)
    version.path.write_bytes(b"no database")
    with pytest.raises(QueryFailed, match=f"{version.name} cannot be opened: .*rostrum build"):
        run_freely(version, "select 1", LIMITS)


def test_a_version_that_is_gone_and_a_query_of_megabytes_are_named_errors(
    version: Version,
) -> None:
    gone = Version(
        "v000009-20261122T120000Z", version.path.with_name("gone.duckdb"), version.published_at
    )
    with pytest.raises(QueryFailed, match="is no longer kept; run the query again"):
        run_freely(gone, "select 1", LIMITS)
    with pytest.raises(QueryFailed, match="200,001 characters"):
        run_freely(version, "x" * 200_001, LIMITS)
