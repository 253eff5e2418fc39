"""Whether the same data give the same figures in a file and on a lake, and what each costs.

Run `ROSTRUM_WAREHOUSE=ducklake:postgres:… ROSTRUM_WAREHOUSE_DATA=… python -m benchmarks.scale.equal
HOME` on an empty lake. A copy of the home is built whole in its file, moved to the lake and built
there; all numbers of all reports are compared to nine digits. Results: `benchmarks/results/`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.processes import processor_s
from benchmarks.report import write_result
from warehouse.compare import compare, mart_keys
from warehouse.home import Home
from warehouse.lake.settings import DATA_SETTING, SETTING
from warehouse.lake.versions import bytes_of
from warehouse.reader import current_version

_ROSTRUM = Path(sys.executable).with_name("rostrum")
_LAKE = (SETTING, DATA_SETTING)


def main() -> None:
    """Build in both, compare, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    asked = parser.parse_args()
    lake = {name: os.environ[name] for name in _LAKE}
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        shutil.copytree(asked.home, home.root, symlinks=True)
        for name in _LAKE:
            del os.environ[name]
        in_file = _built(home, "build", "--full")
        file = current_version(home)
        os.environ |= lake
        moved = _built(home, "warehouse", "move", "--to", "lake")
        on_lake = _built(home, "build", "--full")
        there = current_version(home)
        found = compare(file.path, there.path, mart_keys(home.dbt_target / "manifest.json"))
        result = {
            "data_on_s3": lake[DATA_SETTING].startswith("s3:"),
            "reports": len(found.marts),
            "numbers_equal": found.total.unchanged,
            "numbers_that_differ": found.total.changed,
            "rows_only_in_file": found.total.vanished,
            "rows_only_on_lake": found.total.appeared,
            "not_compared": list(found.notes),
            "largest": [str(change) for change in found.largest[:10]],
            "file": in_file | {"version_bytes": bytes_of(file.path)},
            "lake": on_lake | {"version_bytes": bytes_of(there.path)},
            "move": moved,
        }
    write_result("scale_equal", result)


def _built(home: Home, *words: str) -> dict[str, float]:
    before, started = processor_s(), time.monotonic()
    subprocess.run([_ROSTRUM, "--home", home.root, *words], check=True, stdout=sys.stderr)
    used = processor_s() - before
    return {"seconds": round(time.monotonic() - started, 1), "processor_seconds": round(used, 1)}


if __name__ == "__main__":
    main()
