"""How long the bias marts take over millions of verdicts, beside the usual loops.

The usual way runs on the smallest size of the same verdicts; its time for the largest is
extrapolated. The limit is writing the verdicts once, as DuckDB copies their table.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from benchmarks import building
from benchmarks.bias import baseline
from benchmarks.bias.made_up import fill
from benchmarks.report import write_result
from warehouse.build_file import create

_SELECTED = ("+fct_verdict", "+path:models/debates")
_FITTED = ("int_bias_joint_rows", "int_bias_joint_fitted")


def build(path: Path, **where: Any) -> dict[str, Any]:
    """Build and test the bias marts with dbt, and return where the time went.

    Args:
        path: The build database, filled.
        where: The place in another's stead, as `building.build` takes it.
    """
    apart = {"joint_fits_s": _FITTED}
    found = building.build(path, *_SELECTED, indirect="buildable", apart=apart, **where)
    sql_s = found["models_s"] + found["tests_s"] - found["joint_fits_s"]
    return {**found, "sql_and_tests_s": round(sql_s, 1)}


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
            create(path)
            with duckdb.connect(str(path)) as connection:
                verdicts = fill(connection, judges, asked.variants, asked.debates)
            size = {"judges": judges, "verdicts": verdicts, **build(path)}
            size["limit_s"] = building.copying_s(path, "raw.verdicts")
            if judges == min(asked.judges):
                size |= compare(path)
            sizes.append(size)
    growth = sizes[-1]["sql_and_tests_s"] / sizes[0]["sql_and_tests_s"]
    times = sizes[-1]["verdicts"] / sizes[0]["verdicts"]
    write_result(
        "bias",
        {
            "variants": asked.variants,
            "debates": asked.debates,
            "sizes": sizes,
            "times_the_verdicts": times,
            "times_the_seconds": round(growth, 2),
            "usual_extrapolated_s": round(sizes[0]["usual_s"] * times),
            "usual_over_sql": round(sizes[0]["usual_s"] / sizes[0]["sql_and_tests_s"], 2),
        },
    )


if __name__ == "__main__":
    main()
