"""Processor seconds that the commands of every day take, each in a process of its own.

`python -m benchmarks.daily.commands [--home HOME]`. All run in a copy of the demo's home, which is
made first where none is given, and is itself a row then. The limit beside them is the time that
Python takes to start, to import DuckDB and to open the published version, or to start alone where a
command opens none; beside builds it is what DuckDB takes for the same statements alone, without the
fits. Seconds are the processor's, children included, and the least of three tries; a command that
changes the home is tried once.
"""

import argparse
import csv
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.processes import processor_s, python, rostrum
from benchmarks.report import write_result
from warehouse.audit import RUN_RESULTS
from warehouse.home import Home
from warehouse.reader import current_version, run_query

VERDICTS = 450
JUDGE = "elsewhere/one"
_TRIES = 3
# The SQL of the last build, run by DuckDB alone in a copy of the home's database.
_STATEMENTS_ALONE = """
import json, sys
import duckdb
from warehouse import functions
connection = duckdb.connect(sys.argv[1])
functions.register(connection)
connection.execute("create schema alone")
with open(sys.argv[2]) as file:
    results = json.load(file)["results"]
for result in results:
    code = result["compiled_code"]
    if code is None or "def model(" in code:
        continue
    if result["unique_id"].startswith("model"):
        code = f"create or replace table alone.made as ({code})"
    connection.execute(code).fetchall()
"""


class Row(NamedTuple):
    """A command, and what it may take.

    Attributes:
        name: What it is called in the result.
        arguments: The command's own.
        budget_s: Processor seconds on a machine without other work.
        tries: How often it is run; the least counts.
    """

    name: str
    arguments: tuple[str, ...]
    budget_s: float
    tries: int = _TRIES


def rows_of(verdicts: Path) -> list[Row]:
    """Return the commands in the order in which they can be run.

    Args:
        verdicts: The file to import.
    """
    run = ("speech-score", "--judge", "simulated/faithful")
    return [
        Row("help", ("--help",), 0.4),
        Row("sql", ("sql", "select 1"), 0.4),
        Row("status", ("status",), 0.4),
        Row("judges", ("judges",), 0.4),
        Row("doctor", ("doctor",), 0.4),
        Row("plan", ("plan", *run), 0.4),
        Row("run, nothing to ask", ("run", *run), 1.5),
        Row("build, nothing changed", ("build",), 1.0),
        Row(
            f"import of {VERDICTS} verdicts", ("import", str(verdicts), "--no-build"), 2.0, tries=1
        ),
        Row("build after them", ("build",), 10.0, tries=1),
        Row("build of everything", ("build", "--full"), 35.0, tries=1),
    ]


def write_verdicts(home: Home, path: Path) -> None:
    """Write verdicts of a judge made elsewhere on the demo's debates, Pro and Con shown first."""
    found = run_query(
        current_version(home),
        "select distinct debate_id from fct_verdict where dataset_id = 'sample-debates' "
        "order by debate_id",
    ).rows
    asked = [(debate, side) for (debate,) in found for side in ("pro", "con")][:VERDICTS]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        head = ("item", "judge", "template", "pro_label", "con_label", "first_side", "winner")
        writer.writerow(head)
        for number, (debate, side) in enumerate(asked):
            winner = "pro" if number % 3 else "con"
            writer.writerow((debate, JUDGE, "winner", "A", "B", side, winner))


def seconds(run: Callable[..., None], *arguments: Any, **where: Home) -> float:
    """Return the processor seconds of the process that a function runs."""
    before = processor_s()
    run(*arguments, **where)
    return processor_s() - before


def main() -> None:
    """Measure every row, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="the demo's home; made first where not given")
    given = parser.parse_args().home
    found: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        if given is None:
            used = seconds(rostrum, home, "demo", "--no-serve")
            found["demo"] = {"processor_s": round(used, 2), "budget_s": 45.0}
        else:
            shutil.copytree(given, home.root, symlinks=True)
            # What was built by other code is built anew.
            rostrum(home, "build")
        version = str(current_version(home).path)
        opened = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True)"
        limit = min(seconds(python, opened, version, home=home) for _ in range(_TRIES))
        started = min(seconds(python, "pass", home=home) for _ in range(_TRIES))
        verdicts = Path(folder) / "verdicts.csv"
        write_verdicts(home, verdicts)
        for row in rows_of(verdicts):
            used = min(seconds(rostrum, home, *row.arguments) for _ in range(row.tries))
            found[row.name] = {"processor_s": round(used, 2), "budget_s": row.budget_s}
        alone = Path(folder) / "build.duckdb"
        shutil.copy(home.build_db, alone)
        results = str(home.dbt_target / RUN_RESULTS)
        statements = seconds(python, _STATEMENTS_ALONE, str(alone), results, home=home)
        load = round(os.getloadavg()[0], 1)
        write_result(
            "daily_commands",
            {
                "limit_s": round(limit, 2),
                "python_s": round(started, 3),
                "statements_alone_s": round(statements, 2),
                "load_average": load,
                "commands": found,
            },
        )


if __name__ == "__main__":
    main()
