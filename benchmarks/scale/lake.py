"""Whether a lake loses rows or tears reads while many load, one builds and many read.

Run `ROSTRUM_WAREHOUSE=ducklake:postgres:… ROSTRUM_WAREHOUSE_DATA=… python -m benchmarks.scale.lake
[--appenders 8] [--loads 50] [--readers 20]` on an empty lake. Every process is one of its own, as
on machines of their own; one builds and publishes again and again, and readers read, until the last
load is through. A lost row is one that a load committed and the last version lacks; a torn
read is an annotator whose ratings and their count, two marts of one version, do not agree; a wrong
look-up finds another number of rows by a filter than there are. Results: `benchmarks/results/`.
"""

import resource
import tempfile
import time
from pathlib import Path

from benchmarks.processes import processor_s
from benchmarks.report import asked_for, write_result
from tests.scale import ratings
from warehouse.home import Home
from warehouse.lake.versions import bytes_of
from warehouse.reader import run_query
from warehouse.writer import open_writer


def main() -> None:
    """Run the processes, count what they saw, and write the result."""
    asked = asked_for(__doc__, appenders=8, loads=50, readers=20)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder)).ensure()
        ratings.load_ratings(home, "first", 0)
        ratings.build_ratings(home)
        started = time.monotonic()
        loads = [
            ratings.start("load", f"annotator-{n}", asked.loads) for n in range(asked.appenders)
        ]
        builder = ratings.start("build", "builder", 0)
        readers = [ratings.start("read", f"reader-{n}", 0) for n in range(asked.readers)]
        failed = sum(each.wait() != 0 for each in loads)
        loaded_s = time.monotonic() - started
        others = [builder, *readers]
        said = [each.communicate()[0].split() for each in others]
        failed += sum(each.returncode != 0 for each in others)
        last = ratings.build_ratings(home)
        read = ratings.read_ratings(last)
        rows = run_query(last, "select count(*) from fct_rating").rows[0][0]
        with open_writer(home, "count") as connection:
            found = connection.execute(
                "select count(*), count(distinct load_id) from raw.loads"
            ).fetchone()
        expected = (asked.appenders * asked.loads + 1) * ratings.ROWS_PER_LOAD
        used = processor_s(resource.RUSAGE_SELF) + processor_s()
        result = {
            **vars(asked),
            "processes_failed": failed,
            "loads_found": found,
            "rows_expected": expected,
            "rows_lost": expected - rows,
            "builds_meanwhile": int(said[0][2]),
            "reads_meanwhile": sum(int(done) for _, _, done in said[1:]),
            "torn_reads": sum(int(torn) for torn, _, _ in said) + read.torn,
            "wrong_look_ups": sum(int(wrong) for _, wrong, _ in said) + read.wrong,
            "seconds_until_all_is_loaded": round(loaded_s, 1),
            "processor_seconds": round(used, 1),
            "version_bytes": bytes_of(last.path),
        }
    write_result("scale_lake", result)


if __name__ == "__main__":
    main()
