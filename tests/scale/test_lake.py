"""The warehouse on a lake: many load, one builds, readers see whole versions, and nothing else."""

import os
import re
import time
from contextlib import closing
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import duckdb
import pytest

from tests.scale import ratings
from tests.scale.conftest import Postgres, Store
from tests.scale.ratings import ROWS_PER_LOAD, build_ratings, load_ratings, read_ratings
from warehouse.errors import LakeError, QueryFailed, WarehouseBusy
from warehouse.free_sql.queries import Limits, run_freely
from warehouse.home import PROJECT_ROOT, Home
from warehouse.lake.move import move
from warehouse.lake.settings import explanation, masked, parse_lake
from warehouse.publish import VERSIONS_KEPT
from warehouse.raw import append_rows
from warehouse.reader import current_version, published_versions, run_query
from warehouse.schema import one_transaction
from warehouse.writer import open_file, open_writer, write_lock, writer_of

pytestmark = [pytest.mark.scale, pytest.mark.slow]
APPENDERS, LOADS = 2, 3
ENOUGH = Limits(seconds=60)
LAKE_PAGE = PROJECT_ROOT / "docs" / "lake.md"
psycopg2 = pytest.importorskip(
    "psycopg2", reason="needs: pip install -c constraints.txt -e '.[lake]'"
)


def test_loads_builds_and_reads_at_once_lose_and_tear_nothing(home: Home, lake: str) -> None:
    load_ratings(home, "first", 0)
    build_ratings(home)
    loads = [ratings.start("load", f"annotator-{at}", LOADS) for at in range(APPENDERS)]
    others = [ratings.start("build", "builder", 1), ratings.start("read", "reader", 3)]
    assert [each.wait(1500) for each in (*loads, *others)] == [0] * (APPENDERS + 2)
    assert others[1].stdout is not None
    assert others[1].stdout.read().split() == ["0", "0", "3"]
    last = build_ratings(home)
    assert read_ratings(last) == (0, 0)
    rows = run_query(last, "select annotator_id, n from rpt_ratings order by 1").rows
    expected = [(f"annotator-{at}", LOADS * ROWS_PER_LOAD) for at in range(APPENDERS)]
    assert rows == [*expected, ("first", ROWS_PER_LOAD)]
    with open_writer(home, "look") as connection:
        ids = connection.execute("select count(*), count(distinct load_id) from raw.loads")
        assert ids.fetchone() == (APPENDERS * LOADS + 1, APPENDERS * LOADS + 1)


def test_three_versions_stay_readable_and_no_file_of_an_older_one(home: Home, lake: str) -> None:
    for number in range(VERSIONS_KEPT + 1):
        load_ratings(home, "annotator", number)
        build_ratings(home)
    kept = published_versions(home)
    assert [version.number for version in kept] == [2, 3, 4]
    counts = [run_query(version, "select count(*) from fct_rating").rows[0][0] for version in kept]
    assert counts == [ROWS_PER_LOAD * number for number in (2, 3, 4)]
    if not lake.startswith("s3:"):
        assert sorted(path.name for path in Path(lake, "published").iterdir()) == [
            version.name for version in kept
        ]


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_publishing_merges_files_and_forgets_what_was_more_than_a_day_ago(
    home: Home, lake: str
) -> None:
    for number in range(4):
        load_ratings(home, "annotator", number)
    assert len(_files_of_ratings(home)) == 4
    build_ratings(home)
    assert len(_files_of_ratings(home)) == 1
    everything = set(Path(lake, "build").rglob("*.parquet"))
    _in_postgres(
        "update rostrum_build.ducklake_snapshot "
        "set snapshot_time = snapshot_time - interval '2 days'",
        "update rostrum_build.ducklake_files_scheduled_for_deletion "
        "set schedule_start = schedule_start - interval '2 days'",
    )
    load_ratings(home, "annotator", 4)
    rebuilt = build_ratings(home)
    assert run_query(rebuilt, "select sum(n) from rpt_ratings").rows == [(5 * ROWS_PER_LOAD,)]
    assert len(everything & set(Path(lake, "build").rglob("*.parquet"))) < len(everything)
    with open_writer(home, "look") as connection:
        oldest = connection.execute(
            "select min(snapshot_time) > now() - interval '1 day' "
            "from ducklake_snapshots('build') where snapshot_id > 0"
        )
        assert oldest.fetchone() == (True,)


def _files_of_ratings(home: Home) -> list[tuple[object, ...]]:
    with open_writer(home, "look") as connection:
        return connection.execute(
            "from ducklake_list_files('build', 'ratings', schema => 'raw')"
        ).fetchall()


def _in_postgres(*statements: str) -> None:
    address = os.environ["ROSTRUM_WAREHOUSE"].removeprefix("ducklake:postgres:")
    with closing(psycopg2.connect(address)) as connection:
        connection.autocommit = True
        for statement in statements:
            connection.cursor().execute(statement)


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_a_load_finds_wrong_statistics_of_the_catalog(home: Home, lake: str) -> None:
    load_ratings(home, "annotator", 0)
    # As two that insert at once can leave them (ducklake#1094).
    _in_postgres(
        "update rostrum_build.ducklake_file_column_stats set min_value = '0', max_value = '0' "
        "where min_value = 'made-up'"
    )
    with pytest.raises(LakeError, match=r"the statistics of raw\.ratings are wrong"):
        load_ratings(home, "annotator", 1)


def test_another_machine_finds_the_version_without_the_files_of_the_first(
    home: Home, lake: str, tmp_path: Path
) -> None:
    load_ratings(home, "annotator", 0)
    published = build_ratings(home)
    other = Home(tmp_path / "other").ensure()
    found = current_version(other)
    assert found.name == published.name
    assert read_ratings(found) == (0, 0)


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_a_role_that_reads_versions_reaches_nothing_else(
    home: Home, lake: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_ratings(home, "annotator", 0)
    published = build_ratings(home)
    setting = os.environ["ROSTRUM_WAREHOUSE"]
    said = re.search(r"create role rostrum_reader.*?```", LAKE_PAGE.read_text(), re.DOTALL)
    assert said is not None
    _in_postgres(said[0].removesuffix("```"))
    monkeypatch.setenv("ROSTRUM_WAREHOUSE", setting.replace("user=rostrum", "user=rostrum_reader"))
    reader = Home(home.root.parent / "reader").ensure()
    assert read_ratings(current_version(reader)) == (0, 0)
    assert current_version(reader).name == published.name
    with pytest.raises(LakeError, match="this role of Postgres may not do that"):
        load_ratings(reader, "annotator", 1)


@pytest.mark.parametrize("lake", ["s3"], indirect=True)
def test_a_key_that_reads_versions_reaches_nothing_else(
    home: Home, lake: str, s3: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_ratings(home, "annotator", 0)
    published = build_ratings(home)
    bucket, place = urlsplit(lake).netloc, urlsplit(lake).path.strip("/")
    said = re.search(r"```json\n(.*?)```", LAKE_PAGE.read_text(), re.DOTALL)
    assert said is not None
    policy = said[1].replace(":::bucket", f":::{bucket}").replace("lab/", f"{place}/")
    keys = s3.keys(lake)
    raw = next(key for key in keys if "/build/" in key)
    with s3.asking(policy) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert read_ratings(published) == (0, 0)
        assert run_freely(published, "select count(*) from fct_rating", ENOUGH).rows == [(20,)]
        client = s3.client(environment)
        with pytest.raises(client.exceptions.ClientError, match=r"AccessDenied|Forbidden"):
            client.get_object(Bucket=bucket, Key=raw)
        with pytest.raises(client.exceptions.ClientError, match=r"AccessDenied|Forbidden"):
            client.put_object(Bucket=bucket, Key=f"{place}/published/mine", Body=b"x")
        with pytest.raises(LakeError):
            load_ratings(home, "annotator", 1)
    assert s3.keys(lake) == keys


def test_free_sql_on_a_lake_reads_the_version_and_nothing_else(home: Home, lake: str) -> None:
    load_ratings(home, "annotator", 0)
    # Twenty rows are more than the catalog itself would hold.
    version = build_ratings(home)
    assert run_freely(version, "select count(*) from fct_rating", ENOUGH).rows == [(20,)]
    place = lake.rstrip("/")
    postgres = os.environ["ROSTRUM_WAREHOUSE"].removeprefix("ducklake:")
    for query in (
        f"from glob('{place}/build/**')",
        f"from read_text('{place}/build/main/fct_rating/x.parquet')",
        f"from read_text('{place}/published/{version.name}/../../build/x')",
        "from read_text('/etc/hostname')",
        "from raw.human_ratings",
        "from build.raw.human_ratings",
        f"from postgres_scan('{postgres.removeprefix('postgres:')}', 'rostrum_build', 'x')",
        "from read_text('http://127.0.0.1:1/x')",
    ):
        with pytest.raises(QueryFailed):
            run_freely(version, query, ENOUGH)
    for statement in (
        f"attach '{postgres}' as stolen",
        f"copy fct_rating to '{place}/published/{version.name}/x.parquet'",
        "create secret mine (type s3, endpoint '127.0.0.1:1')",
        "set enable_external_access = true",
        "load postgres_scanner",
    ):
        with pytest.raises(QueryFailed, match="is not run here"):
            run_freely(version, statement, ENOUGH)


def test_one_builds_at_a_time_and_a_killed_builder_lets_go(home: Home, lake: str) -> None:
    holder = ratings.start("hold", "builder")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    named = writer_of(home) or ""
    assert f"process {holder.pid} on " in named
    assert "(build, since 20" in named
    with (
        pytest.raises(WarehouseBusy, match=f"process {holder.pid} on "),
        write_lock(home, "build", wait_s=0),
    ):
        pass
    # Whoever only loads does not wait for it.
    load_ratings(home, "annotator", 0)
    holder.kill()
    holder.wait(300)
    with write_lock(home, "build", wait_s=300):
        assert str(os.getpid()) in (writer_of(home) or "")
    assert writer_of(home) is None


def _build_while(home: Home, restart: Thread) -> None:
    """Hold the builder's lock while Postgres is killed and started again."""
    with write_lock(home, "build"):
        restart.start()
        time.sleep(1500)


def _restart(postgres: Postgres) -> None:
    postgres.stop()
    postgres.start()


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_a_build_ends_with_its_lock_and_what_was_committed_outlives_postgres(
    home: Home, lake: str, postgres: Postgres
) -> None:
    load_ratings(home, "annotator", 0)
    version = build_ratings(home)
    # In a thread: what ends the build must not end the server's start.
    restart = Thread(target=_restart, args=[postgres])
    with pytest.raises(LakeError, match="held the builder's lock"):
        _build_while(home, restart)
    restart.join()
    load_ratings(home, "annotator", 1)
    assert run_query(version, "select sum(n) from rpt_ratings").rows == [(ROWS_PER_LOAD,)]
    rebuilt = build_ratings(home)
    assert run_query(rebuilt, "select sum(n) from rpt_ratings").rows == [(2 * ROWS_PER_LOAD,)]


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_a_load_in_which_postgres_is_restarted_says_so_and_leaves_nothing(
    home: Home, lake: str, postgres: Postgres
) -> None:
    def load() -> None:
        with open_writer(home, "load ratings") as connection, one_transaction(connection):
            append_rows(
                connection,
                "human_ratings",
                "select * replace ('half' as item_id) from raw.human_ratings",
            )
            _restart(postgres)

    load_ratings(home, "annotator", 0)
    with pytest.raises(LakeError, match="run this again"):
        load()
    load_ratings(home, "annotator", 1)
    with open_writer(home, "look") as connection:
        rows = connection.execute("select count(*) from raw.human_ratings").fetchone()
    assert rows == (2 * ROWS_PER_LOAD,)


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_what_a_killed_reader_left_goes_and_what_a_live_one_writes_stays(
    home: Home, lake: str
) -> None:
    load_ratings(home, "annotator", 0)
    name = build_ratings(home).path.name
    gone = ratings.start("load", "nobody", 1)
    gone.kill()
    gone.wait()
    for process in (gone.pid, os.getppid()):
        (home.published / f".{name}.{process}.part").mkdir()
    build_ratings(home)
    left = [path.name for path in home.published.glob(".*")]
    assert left == [f".{name}.{os.getppid()}.part"]


def test_a_home_moves_to_the_lake_and_back_row_by_row(
    home: Home, lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = os.environ["ROSTRUM_WAREHOUSE"]
    monkeypatch.delenv("ROSTRUM_WAREHOUSE")
    load_ratings(home, "annotator", 0)
    with pytest.raises(LakeError, match="ROSTRUM_WAREHOUSE names no lake"):
        move(home, to_lake=True)
    monkeypatch.setenv("ROSTRUM_WAREHOUSE", setting)
    assert move(home, to_lake=True)["ratings"] == ROWS_PER_LOAD
    with pytest.raises(LakeError, match="data were loaded already"):
        move(home, to_lake=True)
    load_ratings(home, "annotator", 1)
    home.build_db.unlink()
    assert move(home, to_lake=False)["ratings"] == 2 * ROWS_PER_LOAD
    with open_file(home) as connection:
        rows = connection.execute("select count(distinct item_id) from raw.human_ratings")
        assert rows.fetchone() == (2 * ROWS_PER_LOAD,)


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_a_lake_that_cannot_be_used_says_why_and_never_a_password(
    home: Home, lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting, message in (
        ("mysql:host=x", "expected 'ducklake:postgres:"),
        ("ducklake:postgres:no address password=secret", "is no address of Postgres"),
        (
            "ducklake:postgres:postgresql://me:secret@127.0.0.1:1/lab",
            "Postgres cannot be reached at 'user=me dbname=lab host=127.0.0.1 port=1'",
        ),
    ):
        monkeypatch.setenv("ROSTRUM_WAREHOUSE", setting)
        with pytest.raises(LakeError, match=message) as raised:
            load_ratings(home, "annotator", 0)
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
@pytest.mark.parametrize("other", ["99.0", "0.3"])
def test_a_catalog_of_another_version_is_told_apart(home: Home, lake: str, other: str) -> None:
    load_ratings(home, "annotator", 0)
    version = build_ratings(home)
    _in_postgres(
        f"update rostrum_build.ducklake_metadata set value = '{other}' where key = 'version'"
    )
    named = "its catalog was written by another version of DuckLake; install on every machine"
    with pytest.raises(LakeError, match=named):
        load_ratings(home, "annotator", 1)
    with duckdb.connect(str(version.path)) as connection:
        connection.execute(f"update ducklake_metadata set value = '{other}' where key = 'version'")
    with pytest.raises(LakeError, match=named):
        run_query(version, "from rpt_ratings")


def test_a_bucket_without_rights_is_named(
    home: Home, postgres: Postgres, s3: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSTRUM_WAREHOUSE", f"ducklake:postgres:{postgres.new_database()}")
    monkeypatch.setenv("ROSTRUM_WAREHOUSE_DATA", "s3://not-there")
    with pytest.raises(LakeError, match="the store refuses s3://not-there/"):
        load_ratings(home, "annotator", 0)
    bucket = s3.new_bucket()
    monkeypatch.setenv("ROSTRUM_WAREHOUSE", f"ducklake:postgres:{postgres.new_database()}")
    monkeypatch.setenv("ROSTRUM_WAREHOUSE_DATA", bucket)
    refused = f"the store refuses {bucket}/; .*AWS_ACCESS_KEY_ID .*may use it"
    with s3.refusing(), pytest.raises(LakeError, match=refused):
        load_ratings(home, "annotator", 0)
    load_ratings(home, "annotator", 0)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Could not connect to server error for HTTP GET to 'http://h:40311/b-403a/x'", "answer"),
        ("HTTP Error: HTTP GET error reading 's3://b/x' (HTTP 403 Forbidden)", "the store refuses"),
        ("could not connect to server: Connection refused", "Postgres cannot be reached"),
    ],
)
def test_what_is_said_of_the_store_is_not_taken_for_postgres(said: str, meant: str) -> None:
    lake = parse_lake("ducklake:postgres:host=x", "s3://b/x")
    assert meant in (explanation(lake, duckdb.IOException(said)) or "")


def test_passwords_are_masked_in_every_form() -> None:
    said = masked("password=one x; password = 'two three'; postgresql://me:four@host/db")
    assert said == "password=*** x; password = ***; postgresql://me:***@host/db"
    lake = parse_lake("ducklake:postgres:host=x password=one", "/data")
    assert "one" not in f"{lake} {lake.postgres}"
