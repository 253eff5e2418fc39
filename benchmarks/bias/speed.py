"""How long the bias marts take over millions of verdicts, beside the usual loops.

The usual way runs on the first million of the same verdicts. The limit is reading: each verdict is
a row of some 100 bytes, compressed to some 25, and is read once for each table of that size.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.bias import baseline
from benchmarks.bias.made_up import fill
from benchmarks.report import write_result
from warehouse.home import PROJECT_ROOT

_PROJECT = PROJECT_ROOT / "dbt_project"
_SELECTED = ("+fct_verdict", "+path:models/debates")
_FITTED = ("int_bias_joint_rows", "int_bias_joint_fitted")
_SHOWN = 15


def build(path: Path) -> dict[str, Any]:
    """Build and test the bias marts with dbt, and return where the time went."""
    target = path.parent / "target"
    started = time.monotonic()
    subprocess.run(
        [
            str(Path(sys.executable).with_name("dbt")),
            "build",
            "--quiet",
            "--select",
            *_SELECTED,
            "--indirect-selection",
            "buildable",
            "--exclude-resource-type",
            "unit_test",
            "--project-dir",
            str(_PROJECT),
            "--profiles-dir",
            str(_PROJECT),
            "--target-path",
            str(target),
            "--log-path",
            str(target),
        ],
        env=os.environ
        | {
            "ROSTRUM_BUILD_DB": str(path),
            "ROSTRUM_DBT_PLUGINS": str(_PROJECT / "plugins"),
        },
        check=True,
    )
    wall_s = time.monotonic() - started
    results = json.loads((target / "run_results.json").read_text())["results"]
    seconds = {each["unique_id"].split(".", 2)[2]: each["execution_time"] for each in results}
    fitted_s = sum(value for name, value in seconds.items() if name in _FITTED)
    slowest = sorted(seconds.items(), key=lambda entry: -entry[1])[:_SHOWN]
    return {
        "wall_s": round(wall_s, 1),
        "sql_and_tests_s": round(sum(seconds.values()) - fitted_s, 1),
        "joint_fits_s": round(fitted_s, 1),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20, 2),
        "slowest_s": {name: round(value, 2) for name, value in slowest},
    }


def compare(path: Path) -> dict[str, Any]:
    """Run the usual way on the same verdicts and check that it finds the same figures."""
    started = time.monotonic()
    found = baseline.analyse(baseline.load(str(path)))
    usual_s = time.monotonic() - started
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(
            "select judge_id, verbalizer, position, accuracy, f1_weighted, mcc, kappa "
            "from marts.rpt_verdict_accuracy where round_count is null and outcome = 'winner'"
        ).fetchall()
    for judge, labels, position, *figures in rows:
        for name, figure in zip(("accuracy", "f1_weighted", "mcc", "kappa"), figures, strict=True):
            expected = found[judge, labels, position, name]
            if abs(figure - expected) > 1e-9:
                message = f"speed: {name} of {judge} {labels} {position}: {figure} != {expected}"
                raise ValueError(message)
    return {"usual_s": round(usual_s, 1), "figures_compared": 4 * len(rows)}


def main() -> None:
    """Measure one and ten million verdicts and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judges", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--variants", type=int, default=100)
    parser.add_argument("--debates", type=int, default=1000)
    asked = parser.parse_args()
    sizes = []
    for judges in asked.judges:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "build.duckdb"
            with duckdb.connect(str(path)) as connection:
                verdicts = fill(connection, judges, asked.variants, asked.debates)
            size = {"judges": judges, "verdicts": verdicts, **build(path)}
            if judges == min(asked.judges):
                size |= compare(path)
            sizes.append(size)
    growth = sizes[-1]["sql_and_tests_s"] / sizes[0]["sql_and_tests_s"]
    write_result(
        "bias",
        {
            "variants": asked.variants,
            "debates": asked.debates,
            "sizes": sizes,
            "times_the_verdicts": sizes[-1]["verdicts"] / sizes[0]["verdicts"],
            "times_the_seconds": round(growth, 2),
            "usual_over_sql": round(sizes[0]["usual_s"] / sizes[0]["sql_and_tests_s"], 2),
        },
    )


if __name__ == "__main__":
    main()
