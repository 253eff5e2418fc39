"""How many verdicts does a lake in a local folder build with so much memory, and in what time?

It starts a Postgres itself. The verdicts are those of `benchmarks.bias`, of each judge on each
debate in a hundred variants, built into the marts on debates with every test of theirs. DuckDB gets
the memory; the process has its own besides.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bias import VARIANTS, build, fill
from benchmarks.building import BuildFailed, bytes_of
from benchmarks.processes import looking
from orchestration.builds.dbt import DBT_PROJECT, dbt_environment
from tests.scale.conftest import Postgres, a_postgres
from warehouse.home import Home
from warehouse.lake.engine import PINNED
from warehouse.lake.settings import DATA_SETTING, SETTING
from warehouse.writer import open_writer, settle_raw, write_lock

NEEDS = "Postgres and the extra of lakes"
_LOOK_S = 0.5
_OPTIONS = "      config_options:\n"


@contextmanager
def most_in(folder: Path) -> Iterator[list[int]]:
    """Note the most that a folder holds at once, in the only element of a list."""
    most = [0]

    def look() -> None:
        most[0] = max(most[0], bytes_of(folder))

    with looking(look, _LOOK_S):
        yield most


def built(judges: int, debates: int, memory_gb: float, postgres: Postgres) -> dict[str, Any]:
    """Load and build the verdicts of some judges, and return what that took."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home").ensure()
        data, spill = Path(folder) / "lake", home.root / "warehouse" / "spill"
        os.environ[SETTING] = f"ducklake:postgres:{postgres.new_database()}"
        os.environ[DATA_SETTING] = str(data)
        began = time.monotonic()
        with open_writer(home, "fill") as connection:
            verdicts = fill(connection, judges, VARIANTS, debates)
        loaded_s, raw_bytes = time.monotonic() - began, bytes_of(data)
        profiles = Path(folder) / "profiles"
        profiles.mkdir()
        said = (DBT_PROJECT / "profiles.yml").read_text()
        limited = f'{_OPTIONS}        memory_limit: "{memory_gb:g}GB"\n'
        (profiles / "profiles.yml").write_text(said.replace(_OPTIONS, limited))
        with write_lock(home, "build"), most_in(spill) as spilled:
            settle_raw(home)
            try:
                found = build(
                    data,
                    environ=dbt_environment(home),
                    profiles=profiles,
                    variables={"raw_database": PINNED},
                )
            except BuildFailed as error:
                found = {"failed": str(error)}
        return {
            "judges": judges,
            "debates": debates,
            "verdicts": verdicts,
            "loaded_s": round(loaded_s, 1),
            "raw_bytes_per_verdict": round(raw_bytes / verdicts, 1),
            "spilled_gb_at_most": round(spilled[0] / 1e9, 2),
            # With everything that was replaced and is not yet expired.
            "lake_bytes_per_verdict": round(bytes_of(data) / verdicts, 1),
            **found,
        }


def measure(
    judges: tuple[int, ...] = (10, 100), debates: int = 1000, memory_gb: float = 8.0
) -> dict[str, Any]:
    """Build from the smallest size up."""
    with a_postgres() as postgres:
        sizes = [built(count, debates, memory_gb, postgres) for count in sorted(judges)]
    return {"memory_gb": memory_gb, "sizes": sizes}
