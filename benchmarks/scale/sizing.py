"""How much disk, memory and processor time verdicts take, for `docs/scale.md` to size by.

The verdicts of `benchmarks.bias`: short replies, each in a row of raw, built into the marts on
debates. Processor time is given besides the time that passed: other work may share the machine.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.bias.made_up import fill
from benchmarks.bias.speed import build
from benchmarks.processes import processor_s
from benchmarks.report import write_result

_VARIANTS, _DEBATES = 100, 1000


def published_bytes(path: Path) -> int:
    """Return the size of a file that holds the marts alone, as readers get them."""
    published = path.with_name("published.duckdb")
    with duckdb.connect(str(published)) as connection:
        connection.execute(f"attach '{path}' as build (read_only)")
        tables = connection.execute(
            "select table_name from duckdb_tables() "
            "where database_name = 'build' and schema_name = 'marts'"
        ).fetchall()
        for (table,) in tables:
            connection.execute(f'create table "{table}" as from build.marts."{table}"')
    return published.stat().st_size


def measure(judges: int) -> dict[str, Any]:
    """Build the verdicts of some judges, and return what that took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        with duckdb.connect(str(path)) as connection:
            verdicts = fill(connection, judges, _VARIANTS, _DEBATES)
        raw_bytes = path.stat().st_size
        before = processor_s()
        found = build(path)
        cpu_s = processor_s() - before
        built_bytes = path.stat().st_size
        return {
            "verdicts": verdicts,
            "raw_bytes_per_verdict": round(raw_bytes / verdicts, 1),
            "build_file_bytes_per_verdict": round(built_bytes / verdicts, 1),
            "published_bytes_per_verdict": round(published_bytes(path) / verdicts, 1),
            "wall_s": found["wall_s"],
            "cpu_s": round(cpu_s, 1),
            "joint_fits_s": found["joint_fits_s"],
            # Of the largest child so far: sizes are measured from the smallest up.
            "peak_gb": found["peak_gb"],
        }


def main() -> None:
    """Measure a hundred thousand, a million and ten million verdicts, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judges", type=int, nargs="+", default=[1, 10, 100])
    asked = parser.parse_args()
    sizes = []
    for judges in sorted(asked.judges):
        sizes.append(measure(judges))
        print(sizes[-1], flush=True)
    write_result("scale_sizing", {"sizes": sizes})


if __name__ == "__main__":
    main()
