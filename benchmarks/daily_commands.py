"""How much processor time do the commands of every day take?

Each runs in a process of its own. All run in a copy of the demo's home, which is
made first where none is given, and is itself a row then. The limit beside them is the time that
Python takes to start, to import DuckDB and to open the published version, or to start alone where a
command opens none; beside builds it is what DuckDB takes for the same statements alone, without the
fits. Seconds are the processor's, children included, and the least of three tries; a command that
changes the home is tried once.
"""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.harness import Budget
from benchmarks.processes import processor_s, python, rostrum
from warehouse.audit import RUN_RESULTS
from warehouse.home import Home
from warehouse.reader import current_version, run_query


def _budget(what: str, goal: float, name: str, limit: str = "limit_s") -> Budget:
    return Budget(what, goal, f"commands/{name}/processor_s", limit=limit)


BUDGETS = (
    _budget("`rostrum run` with nothing to ask", 1.5, "run, nothing to ask"),
    _budget("`rostrum import` of 450 verdicts, not built", 2, "import of 450 verdicts"),
    _budget("`rostrum build`, nothing changed", 1, "build, nothing changed"),
    _budget("`rostrum build` after 450 verdicts", 10, "build after them"),
    _budget("`rostrum build --full`", 35, "build of everything", "statements_alone_s"),
    _budget("`make demo`, installed, without its servers", 45, "demo"),
    _budget("`rostrum sql`", 0.4, "sql"),
    _budget("`rostrum status`", 0.4, "status"),
    _budget("`rostrum judges`", 0.4, "judges", "python_s"),
    _budget("`rostrum --help`", 0.4, "help", "python_s"),
)
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
        tries: How often it is run; the least counts.
    """

    name: str
    arguments: tuple[str, ...]
    tries: int = _TRIES


def rows_of(verdicts: Path) -> list[Row]:
    """Return the commands in the order in which they can be run.

    Args:
        verdicts: The file to import.
    """
    run = ("speech-score", "--judge", "simulated/faithful")
    return [
        Row("help", ("--help",)),
        Row("sql", ("sql", "select 1")),
        Row("status", ("status",)),
        Row("judges", ("judges",)),
        Row("doctor", ("doctor",)),
        Row("plan", ("plan", *run)),
        Row("run, nothing to ask", ("run", *run)),
        Row("build, nothing changed", ("build",)),
        Row(f"import of {VERDICTS} verdicts", ("import", str(verdicts), "--no-build"), tries=1),
        Row("build after them", ("build",), tries=1),
        Row("build of everything", ("build", "--full"), tries=1),
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


def measure(home: Path | None = None) -> dict[str, Any]:
    """Run every command in a copy of a home; without one, in the demo's, which is made first."""
    given, found = home, dict[str, Any]()
    with TemporaryDirectory() as folder:
        copy = Home(Path(folder) / "home")
        if given is None:
            used = seconds(rostrum, copy, "demo", "--no-serve")
            found["demo"] = {"processor_s": round(used, 2)}
        else:
            shutil.copytree(given, copy.root, symlinks=True)
            # What was built by other code is built anew.
            rostrum(copy, "build")
        version = str(current_version(copy).path)
        opened = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True)"
        limit = min(seconds(python, opened, version, home=copy) for _ in range(_TRIES))
        started = min(seconds(python, "pass", home=copy) for _ in range(_TRIES))
        verdicts = Path(folder) / "verdicts.csv"
        write_verdicts(copy, verdicts)
        for row in rows_of(verdicts):
            used = min(seconds(rostrum, copy, *row.arguments) for _ in range(row.tries))
            found[row.name] = {"processor_s": round(used, 2)}
        alone = Path(folder) / "build.duckdb"
        shutil.copy(copy.build_db, alone)
        results = str(copy.dbt_target / RUN_RESULTS)
        statements = seconds(python, _STATEMENTS_ALONE, str(alone), results, home=copy)
    return {
        "limit_s": round(limit, 2),
        "python_s": round(started, 3),
        "statements_alone_s": round(statements, 2),
        "commands": found,
    }
