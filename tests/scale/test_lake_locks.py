"""Who waits for a lake stands in a queue, and can leave it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.scale.conftest import Postgres
from warehouse.errors import WarehouseBusy
from warehouse.lake.locks import LOAD, Session, held
from warehouse.lake.settings import Lake, parse_lake

pytestmark = pytest.mark.scale("psycopg2")
PATIENCE_S = 600
_WAITING = """
    select count(*) from pg_locks
    where locktype = 'advisory' and not granted and objid = %s
        and database = (select oid from pg_database where datname = current_database())
"""


@pytest.fixture(scope="module")
def lake(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    data = str(tmp_path_factory.mktemp("lake"))
    found = parse_lake(f"ducklake:postgres:{postgres.new_database()}", data)
    assert found is not None
    return found


@pytest.fixture
def looker(lake: Lake) -> Iterator[Session]:
    with closing(Session(lake, "look")) as session:
        yield session


@pytest.fixture
def interruptible() -> Iterator[None]:
    """As a shell starts what runs in the background, interrupts are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wait_until_waiting(looker: Session, count: int) -> None:
    while looker.execute(_WAITING, (LOAD,)) != [(count,)]:
        pass


def test_those_who_wait_come_in_turn_and_before_the_one_who_had_it(
    lake: Lake, looker: Session
) -> None:
    had: list[str] = []
    told: list[str] = []

    def wait(name: str) -> None:
        with held(lake, LOAD, name, wait_s=PATIENCE_S, notify=told.append):
            had.append(name)

    names = [f"waiter {number}" for number in range(3)]
    threads = [threading.Thread(target=wait, args=[name]) for name in names]
    with held(lake, LOAD, "the first", wait_s=PATIENCE_S, notify=told.append):
        for count, thread in enumerate(threads, start=1):
            thread.start()
            wait_until_waiting(looker, count)
    wait("the first again")
    for thread in threads:
        thread.join()
    assert had == [*names, "the first again"]
    assert len(told) >= len(names)
    assert "(the first, since 20" in told[0]


@pytest.mark.usefixtures("interruptible")
def test_who_waits_can_be_interrupted_and_leaves_the_queue(lake: Lake, looker: Session) -> None:
    def interrupt() -> None:
        wait_until_waiting(looker, 1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    interrupting = threading.Thread(target=interrupt)
    with held(lake, LOAD, "the holder", wait_s=PATIENCE_S, notify=str):
        interrupting.start()
        with (
            pytest.raises(KeyboardInterrupt),
            held(lake, LOAD, "the waiter", wait_s=PATIENCE_S, notify=str),
        ):
            pass
        interrupting.join()
        wait_until_waiting(looker, 0)


def test_who_does_not_wait_at_all_is_told_who_holds_it(lake: Lake) -> None:
    with (
        held(lake, LOAD, "the holder", wait_s=PATIENCE_S, notify=str),
        pytest.raises(WarehouseBusy, match=r"still held by process \d+ on \S+ \(the holder, since"),
        held(lake, LOAD, "the waiter", wait_s=0, notify=str),
    ):
        pass
