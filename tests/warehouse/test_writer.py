"""One writer at a time: whoever waits is told for whom, and a lock dies with its process."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pytest

from warehouse.errors import WarehouseBusy, WarehouseDamaged
from warehouse.home import PROJECT_ROOT, Home
from warehouse.writer import build_connection, give_way, lock_holder, open_writer, write_lock


@contextmanager
def _process(script: str, home: Home) -> Iterator[subprocess.Popen[str]]:
    """Run Python that prints a line once it holds what it should, then sleeps until killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(home.root)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT_ROOT,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


WRITER = """
    import sys, time
    from pathlib import Path
    from warehouse.home import Home
    from warehouse.writer import open_writer
    with open_writer(Home(Path(sys.argv[1])), "a long load") as connection:
        connection.execute("create table main.unfinished (n integer)")
        connection.execute("begin; insert into main.unfinished values (1)")
        print("ready", flush=True)
        time.sleep(60)
"""
FOREIGN = """
    import sys, time
    import duckdb
    connection = duckdb.connect(sys.argv[1] + "/warehouse/build.duckdb")
    print("ready", flush=True)
    time.sleep(60)
"""


def test_a_writer_gets_a_migrated_database_and_a_build_functions_as_well(home: Home) -> None:
    with open_writer(home, "test") as connection:
        assert connection.execute("select count(*) from raw.loads").fetchone() == (0,)
    with write_lock(home, "test"), build_connection(home) as connection:
        assert connection.execute("select normal_quantile(0.5)").fetchone() == (0.0,)


def _tear(home: Home) -> None:
    """Write in the file, and leave of a block that this wrote over half of before and of after."""
    with open_writer(home, "test") as connection:
        connection.execute("create table main.t as select range as n from range(1000)")
    before = home.build_db.read_bytes()
    with open_writer(home, "test") as connection:
        connection.execute("insert into main.t from range(10)")
    after = home.build_db.read_bytes()
    # Behind three headers of 4 KiB come blocks of 256 KiB.
    block, headers = 1 << 18, 3 << 12
    begins = range(headers, len(before), block)
    begin = next(each for each in begins if before[each : each + 8] != after[each : each + 8])
    torn = begin + block // 2
    home.build_db.write_bytes(before[:begin] + after[begin:torn] + before[torn:])


def test_a_damaged_file_without_a_copy_is_told_from_one_that_is_open_elsewhere(home: Home) -> None:
    _tear(home)
    # The first of the two has made a copy of what is damaged.
    for _ in range(2):
        with (
            pytest.raises(
                WarehouseDamaged, match=r"build\.duckdb is damaged .*rostrum run"
            ) as told,
            open_writer(home, "test"),
        ):
            pass
        assert str(home.landing) in str(told.value)


def test_a_file_that_a_kill_has_damaged_is_again_as_it_was_before(home: Home) -> None:
    with open_writer(home, "test") as connection:
        connection.execute("create table main.kept as select 1 as n")
    with _process(WRITER, home) as killed:
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
    torn = Home(home.root.parent / "torn").ensure()
    _tear(torn)
    home.build_db.write_bytes(torn.build_db.read_bytes())
    told: list[str] = []
    with open_writer(home, "the next", notify=told.append) as connection:
        names = {name for (name,) in connection.execute("show tables").fetchall()}
    assert names >= {"kept"}
    assert not names & {"t", "unfinished"}
    (message,) = told
    assert f"process {killed.pid} (a long load, since " in message
    assert "run that one again" in message
    assert not home.build_copy.exists()


def test_rows_that_a_killed_writer_had_put_on_disk_go_with_the_next(home: Home) -> None:
    spilling = """
        import sys, time
        from pathlib import Path
        from warehouse.home import Home
        from warehouse.writer import open_writer
        with open_writer(Home(Path(sys.argv[1])), "a long load") as connection:
            connection.execute("set memory_limit = '40MB'; set threads = 1")
            connection.execute("create temp table t as select hash(range) from range(10_000_000)")
            print("ready", flush=True)
            time.sleep(60)
    """
    spilled = home.build_db.with_name("build.duckdb.tmp")
    with _process(spilling, home) as killed:
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
    assert any(spilled.iterdir())
    with open_writer(home, "the next"):
        assert not spilled.exists()


def test_what_was_committed_before_an_error_stays_and_the_copy_goes(home: Home) -> None:
    with pytest.raises(duckdb.CatalogException), open_writer(home, "test") as connection:
        connection.execute("create table main.kept as select 1 as n; from main.missing")
    assert not home.build_copy.exists()
    with open_writer(home, "test") as connection:
        assert connection.execute("from main.kept").fetchall() == [(1,)]


def test_a_damage_in_the_middle_of_a_command_says_to_run_it_again(home: Home) -> None:
    torn = Home(home.root.parent / "torn").ensure()
    _tear(torn)

    def build() -> None:
        with write_lock(home, "a build whose dbt is killed"):
            home.build_db.write_bytes(torn.build_db.read_bytes())
            with build_connection(home):
                pass

    with pytest.raises(WarehouseDamaged, match="Run this again: it goes on from the copy"):
        build()
    assert home.build_copy.exists()
    with open_writer(home, "the same again") as connection:
        assert ("t",) not in connection.execute("show tables").fetchall()


def test_what_a_writer_leaves_is_one_file_that_is_whole(home: Home) -> None:
    with open_writer(home, "test") as connection:
        connection.execute("create table main.t as from range(1000)")
    assert {path.name for path in home.build_db.parent.iterdir()} == {
        "build.duckdb",
        "build.lock",
        "published",
    }
    with duckdb.connect(str(home.build_db), read_only=True) as connection:
        assert connection.execute("select count(*) from main.t").fetchone() == (1000,)


def test_the_lock_names_its_holder_and_nobody_once_it_is_free(home: Home) -> None:
    assert lock_holder(home.build_lock) is None
    with write_lock(home, "a test's purpose"):
        assert re.fullmatch(
            rf"process {os.getpid()} \(a test's purpose, since \d{{4}}-\d\d-\d\dT.*\+00:00\)",
            lock_holder(home.build_lock) or "",
        )
    assert lock_holder(home.build_lock) is None


def test_a_holder_that_has_not_written_its_name_yet_is_another_process(home: Home) -> None:
    with write_lock(home, "test"):
        home.build_lock.write_text("")
        assert lock_holder(home.build_lock) == "another process"


def test_the_second_of_two_writers_waits_and_is_told_for_whom(home: Home) -> None:
    order: list[str] = []
    told: list[str] = []
    inside = threading.Event()

    def first() -> None:
        with open_writer(home, "the first") as connection:
            inside.set()
            time.sleep(0.6)
            connection.execute("create table main.first as select 1 as n")
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(30)
    with open_writer(home, "the second", notify=told.append) as connection:
        order.append("second")
        assert connection.execute("from main.first").fetchall() == [(1,)]
    thread.join()
    assert order == ["first", "second"]
    (message,) = told
    assert re.match(rf"waiting for process {os.getpid()} \(the first, since .*\) to fin", message)


def test_who_holds_the_lock_may_take_it_again_and_holds_it_until_the_end(home: Home) -> None:
    with write_lock(home, "a build"):
        with open_writer(home, "a step"):
            pass
        assert "a build" in str(lock_holder(home.build_lock))
    assert lock_holder(home.build_lock) is None


def test_a_build_gives_way_to_who_waits_to_load(home: Home) -> None:
    done: list[str] = []

    def load() -> None:
        with write_lock(home, "a load"):
            done.append("loaded")

    def build() -> None:
        give_way(home)
        done.append("built")

    waiting, building = threading.Thread(target=load), threading.Thread(target=build)
    with write_lock(home, "another load", notify=done.append):
        waiting.start()
        deadline = time.monotonic() + 30
        while not home.build_lock.with_suffix(".queue").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        building.start()
        time.sleep(0.5)
        assert done == []
    waiting.join()
    building.join()
    assert done == ["loaded", "built"]
    give_way(home)


def test_who_waits_in_vain_is_told_for_whom_and_follows_once_that_one_is_killed(home: Home) -> None:
    with _process(WRITER, home) as holder:
        message = rf"still held by process {holder.pid} \(a long load, since .* after 1 s; wait for"
        with pytest.raises(WarehouseBusy, match=message), open_writer(home, "test", wait_s=0.6):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        with open_writer(home, "the next", wait_s=20) as connection:
            assert connection.execute("from main.unfinished").fetchall() == []
            connection.execute("insert into main.unfinished values (2)")
    with duckdb.connect(str(home.build_db), read_only=True) as connection:
        assert connection.execute("from main.unfinished").fetchall() == [(2,)]


def test_the_name_of_a_dead_holder_is_not_believed(home: Home) -> None:
    home.build_lock.parent.mkdir(exist_ok=True)
    home.build_lock.write_text(json.dumps({"pid": 1, "purpose": "old", "since": "then"}))
    assert lock_holder(home.build_lock) is None
    with open_writer(home, "test", wait_s=1):
        pass


def test_a_foreign_process_with_the_file_open_is_named_and_waited_for(home: Home) -> None:
    with open_writer(home, "test"):
        pass
    told: list[str] = []
    with _process(FOREIGN, home) as foreign:
        message = rf"is still open in process {foreign.pid} after 1 s; a dbt run that outlived"
        with (
            pytest.raises(WarehouseBusy, match=message),
            open_writer(home, "test", wait_s=0.6, notify=told.append),
        ):
            pass
        assert told == [f"waiting for process {foreign.pid}, which has the warehouse file open"]
        # Our own lock was let go, so the next command can wait in its turn.
        assert lock_holder(home.build_lock) is None
        threading.Timer(0.5, foreign.kill).start()
        with open_writer(home, "test", wait_s=30) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_an_error_inside_lets_go_and_undoes_what_was_not_committed(home: Home) -> None:
    with pytest.raises(duckdb.CatalogException), open_writer(home, "test") as connection:
        connection.execute("begin; create table main.half (n integer); from main.missing")
    assert lock_holder(home.build_lock) is None
    with open_writer(home, "test", wait_s=1) as connection:
        names = connection.execute("select table_name from duckdb_tables()").fetchall()
    assert ("half",) not in names


def test_a_file_that_is_no_database_is_not_waited_for(home: Home) -> None:
    home.build_db.parent.mkdir(exist_ok=True)
    home.build_db.write_bytes(b"not a database, whatever its name says" * 200)
    told: list[str] = []
    with (
        pytest.raises(duckdb.IOException),
        open_writer(home, "test", wait_s=60, notify=told.append),
    ):
        pass
    assert told == []
