"""Loads, builds and reads of one small table, by processes that a test starts and kills.

`python -m tests.scale.ratings DOING NAME TIMES`: the home and the lake come from the environment.
0 times is until its input ends.
"""

import itertools
import select
import subprocess
import sys
import time
from typing import NamedTuple

import duckdb

from ingestion.batch import SourceFile
from ingestion.raw_tables import record_load, upsert
from warehouse.home import Home, find_home
from warehouse.publish import publish
from warehouse.reader import Version, current_version, run_query
from warehouse.schema import one_transaction, raw_load_id, utc_now
from warehouse.writer import build_connection, open_writer, settle_raw, write_lock

ROWS_PER_LOAD = 20
# A machine that is shared may take minutes for what takes a second.
_PATIENCE_S = 3600.0


def load_ratings(home: Home, name: str, number: int) -> None:
    """Load the ratings of one annotator, as every source does."""
    now = utc_now()
    rows = [
        {
            "dataset_id": "made-up",
            "item_id": f"made-up:{number}-{place}",
            "annotator_id": name,
            "dimension": "quality",
            "value": float(place),
        }
        for place in range(ROWS_PER_LOAD)
    ]
    with (
        open_writer(home, "load ratings", wait_s=_PATIENCE_S) as connection,
        one_transaction(connection),
    ):
        counts = upsert(connection, "human_ratings", rows, source_file=f"{name}.csv", now=now)
        file = SourceFile(name, f"{name}.csv", f"{name}-{number}", ROWS_PER_LOAD)
        record_load(connection, "dataset", "made-up", [file], {"human_ratings": counts}, [], now)


def build_ratings(home: Home) -> Version:
    """Build two marts that must agree, pass the audit and publish them."""
    with write_lock(home, "build"):
        settle_raw(home)
        with build_connection(home) as connection:
            connection.execute(
                "create or replace table main.fct_rating as "
                "select item_id, annotator_id, value from raw.human_ratings"
            )
            build_counts(connection)
            load = raw_load_id(connection)
            connection.execute(
                "insert into audit.builds select coalesce(max(build_id), 0) + 1, ?, ?, 'made-up', "
                "?, 'made-up', 1, 1, '' from audit.builds",
                [utc_now(), utc_now(), load],
            )
        return publish(home, code_version="1")


def build_counts(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        "create or replace table main.rpt_ratings as "
        "select annotator_id, count(*) as n, sum(value) as total "
        "from raw.human_ratings group by annotator_id"
    )


class Read(NamedTuple):
    torn: int
    wrong: int


def read_ratings(version: Version) -> Read:
    """Compare the two marts of a version, and look each annotator up."""
    torn = run_query(
        version,
        "select count(*) from (select annotator_id, count(*) as n, sum(value) as total "
        "from fct_rating group by annotator_id) as counted "
        "full join rpt_ratings as said using (annotator_id) "
        "where counted.n is distinct from said.n or counted.total is distinct from said.total "
        f"or said.n % {ROWS_PER_LOAD} != 0",
    ).rows[0][0]
    said = run_query(version, "select annotator_id, n from rpt_ratings").rows
    # One query, since each opens the version anew; each look-up is a scan with its own filter.
    looked_up = run_query(
        version,
        " union all ".join(
            f"select {place}, count(*) from fct_rating where annotator_id = $name{place}"
            for place in range(len(said))
        ),
        {f"name{place}": name for place, (name, _) in enumerate(said)},
    ).rows
    wrong = sum(found != said[place][1] for place, found in looked_up)
    return Read(torn, wrong)


def start(doing: str, name: str, times: int = 1) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", __name__, doing, name, str(times)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def main(doing: str, name: str, times: str) -> None:
    """Do one thing so many times, and print what came of it and how often it was done."""
    home = find_home().ensure()
    # Whoever reads for long leaves the processor to those who load.
    pause_s = 0.2 if int(times) else 30.0
    torn = wrong = done = 0
    for number in itertools.count():
        if number == int(times) if int(times) else select.select([sys.stdin], [], [], 0)[0]:
            break
        done += 1
        if doing == "load":
            load_ratings(home, name, number)
        elif doing == "build":
            build_ratings(home)
        elif doing == "read":
            read = read_ratings(current_version(home))
            torn, wrong = torn + read.torn, wrong + read.wrong
            time.sleep(pause_s)
        elif doing == "hold":
            with write_lock(home, "build"):
                print("held", flush=True)
                time.sleep(3600)
    print(torn, wrong, done, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
