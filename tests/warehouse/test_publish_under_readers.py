"""Publishing under readers: everybody sees one whole version, and none goes back."""

import threading
from collections import Counter

import pytest

from tests.warehouse.test_publish import published
from warehouse.errors import QueryFailed
from warehouse.free_sql.queries import Limits, run_freely
from warehouse.home import Home
from warehouse.reader import connect, current_version, published_versions, run_query

pytestmark = pytest.mark.slow

QUERY = "select n, (select version from publication) as version from rpt_thing"


@pytest.mark.parametrize(
    ("publishes", "pages", "queries"),
    [(4, 6, 1), pytest.param(10, 22, 8, marks=pytest.mark.soak)],
)
def test_publishes_under_readers_show_whole_versions_only(
    home: Home, publishes: int, pages: int, queries: int
) -> None:
    published(home, 1)
    done, told, wrong = threading.Event(), Counter[str](), list[str]()

    def check(kind: str, name: str, rows: list[tuple[int, str]]) -> None:
        told[kind] += 1
        # The value built for a version is its number.
        if rows != [(int(name[1:7]), name)]:
            wrong.append(f"{kind} of {name}: {rows}")

    def read_page() -> None:
        newest = ""
        while not done.wait(0.2):
            version = current_version(home)
            if version.name < newest:
                wrong.append(f"{version.name} after {newest}")
            newest = version.name
            with connect(version):
                for _ in range(2):
                    check("page", version.name, run_query(version, QUERY).rows)

    def read_freely() -> None:
        while not done.is_set():
            version = current_version(home)
            try:
                check("free", version.name, run_freely(version, QUERY, Limits(seconds=60)).rows)
            except QueryFailed as error:
                if "busy" not in str(error) and "run the query again" not in str(error):
                    wrong.append(str(error))

    def look_up() -> None:
        newest = ""
        while not done.is_set():
            name = current_version(home).name
            if name < newest:
                wrong.append(f"{name} after {newest}")
            newest = name
            told["looked up"] += 1

    failed: list[BaseException] = []

    def guarded(read: object) -> None:
        try:
            read()  # type: ignore[operator]
        except BaseException as error:
            failed.append(error)

    readers = [
        threading.Thread(target=guarded, args=(read,))
        for read in [look_up] + [read_page] * pages + [read_freely] * queries
    ]
    for reader in readers:
        reader.start()
    try:
        for number in range(2, publishes + 2):
            published(home, number)
            done.wait(0.3)
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert (wrong, failed) == ([], [])
    assert told["page"] > publishes
    assert told["free"] > 0
    assert current_version(home).number == publishes + 1
    assert len(published_versions(home)) == 3
