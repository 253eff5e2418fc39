"""Runs the compiled models on data a test makes up, in memory and in well under a second.

dbt compiles the project once; after that each example is plain SQL in the order of the graph. Real
dbt builds are tested elsewhere: what is tested here are the numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
from hypothesis import HealthCheck, settings

from tests.dbt_project.raw_rows import NOW, fill, insert, outcome
from tests.dbt_runs import run_dbt
from warehouse import functions, schema
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home

Rating = tuple[str, str, float]
# An example makes many models: a fifth as many of them as where nothing is built.
EXAMPLES = settings(
    max_examples=max(4, settings().max_examples // 5),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@dataclass(frozen=True)
class Compiled:
    """The project's models, in the order they must be built.

    Attributes:
        models: Schema, name and SQL of each; for a Python model the path of its file.
        parents: The models and seeds each model reads, by name.
        seeds: The seeds' files by name.
    """

    models: list[tuple[str, str, str | Path]]
    parents: dict[str, set[str]]
    seeds: dict[str, Path]

    def as_json(self) -> str:
        """Return what `from_json` takes."""
        models = [
            [layer, name, code if isinstance(code, str) else None, str(code)]
            for layer, name, code in self.models
        ]
        parents = {name: sorted(found) for name, found in self.parents.items()}
        seeds = {name: str(path) for name, path in self.seeds.items()}
        return json.dumps({"models": models, "parents": parents, "seeds": seeds})

    @classmethod
    def from_json(cls, text: str) -> Compiled:
        """Return the project from what `as_json` gave."""
        found = json.loads(text)
        return cls(
            [(layer, name, sql or Path(path)) for layer, name, sql, path in found["models"]],
            {name: set(parents) for name, parents in found["parents"].items()},
            {name: Path(path) for name, path in found["seeds"].items()},
        )

    def with_ancestors(self, names: Iterable[str], built: Container[str] = ()) -> set[str]:
        """Return the named models and all they are made from, down to what is built already."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found and name not in built:
                found.add(name)
                waiting += self.parents.get(name, ())
        return found


def compile_project(folder: Path, variables: dict[str, Any]) -> Compiled:
    home = Home(folder / "home").ensure()
    only = ("--select", "resource_type:model", "--no-introspect", "--quiet")
    run_dbt(home, "compile", *only, "--vars", json.dumps(variables))
    manifest = json.loads((home.dbt_target / "manifest.json").read_text())
    return in_order(
        manifest, {name: node.get("compiled_code") for name, node in manifest["nodes"].items()}
    )


def as_shipped(built: Home) -> Compiled:
    """Return the project as dbt compiled it for the first build of a home."""
    manifest, results = (
        json.loads((built.dbt_target / name).read_text())
        for name in ("manifest.json", "run_results.json")
    )
    return in_order(
        manifest, {one["unique_id"]: one["compiled_code"] for one in results["results"]}
    )


def in_order(manifest: dict[str, Any], codes: Mapping[str, str]) -> Compiled:
    """Return a manifest's models behind those they are made from, each with its code."""
    nodes = {
        name: node for name, node in manifest["nodes"].items() if node["resource_type"] == "model"
    }
    ordered: list[tuple[str, str, str | Path]] = []
    done: set[str] = set()
    while len(done) < len(nodes):
        for name, node in nodes.items():
            if name not in done and all(
                parent in done for parent in node["depends_on"]["nodes"] if parent in nodes
            ):
                is_sql = node["language"] == "sql"
                code = codes[name] if is_sql else DBT_PROJECT / node["original_file_path"]
                ordered.append((node["schema"], node["name"], code))
                done.add(name)
    parents = {
        node["name"]: {
            each.rsplit(".", 1)[1]
            for each in node["depends_on"]["nodes"]
            if each.startswith(("model.", "seed."))
        }
        for node in nodes.values()
    }
    seeds = {path.stem: path for path in (DBT_PROJECT / "seeds").rglob("*.csv")}
    return Compiled(ordered, parents, seeds)


class Models:
    """Raw data, and the models over them, each built when a query first names it.

    An example asks for a few of the models; building all of them for each would take seconds.

    Args:
        compiled: The project.
        connection: A connection to the raw data.
        built: Names of models whose tables are there, or will be before a query names them.
    """

    def __init__(
        self,
        compiled: Compiled,
        connection: duckdb.DuckDBPyConnection,
        built: Iterable[str] = (),
    ) -> None:
        self._compiled = compiled
        self._connection = connection
        self._built = set(built)
        for layer in {layer for layer, _, _ in compiled.models} | {"seeds"}:
            connection.execute(f"create schema {layer}")
        connection.execute("set search_path = 'build.marts,build.intermediate'")

    def execute(self, sql: str, parameters: object = None) -> duckdb.DuckDBPyConnection:
        """Build what a query names, with what that is made from, and run the query."""
        known = self._compiled.parents.keys() | self._compiled.seeds.keys()
        wanted = self._compiled.with_ancestors(known & set(re.findall(r"\w+", sql)), self._built)
        for name in sorted(wanted & self._compiled.seeds.keys()):
            path = str(self._compiled.seeds[name])
            self._connection.execute(
                f"create table seeds.{name} as from read_csv(?, all_varchar = true)", [path]
            )
        for layer, name, code in self._compiled.models:
            if name in wanted:
                self._build(layer, name, code)
        self._built |= wanted
        return self._connection.execute(sql, parameters)

    def _build(self, layer: str, name: str, code: str | Path) -> None:
        if isinstance(code, Path):
            fitted = run_python_model(self._connection, code)  # noqa: F841
            code = "from fitted"
        kind = "view" if layer == "staging" else "table"
        self._connection.execute(f"create {kind} {layer}.{name} as {code}")


Built = Callable[..., Models]


class PythonModel:
    """Stands in for the `dbt` object a Python model is called with: it reads the tables built."""

    is_incremental = False

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def config(self, **_settings: Any) -> None:
        """Take a model's settings, which decide only how dbt stores it."""

    def ref(self, name: str) -> duckdb.DuckDBPyRelation:
        """Return an intermediate model that has been built."""
        return self._connection.sql(f"from intermediate.{name}")


def run_python_model(connection: duckdb.DuckDBPyConnection, path: Path) -> Any:
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    return namespace["model"](PythonModel(connection), connection)


def build(
    compiled: Compiled,
    *,
    speeches: Iterable[tuple[str, str, str]] = (),
    ratings: Iterable[Rating] = (),
    scores: Iterable[tuple[str, str, float | None, float | None]] = (),
    failures: Mapping[tuple[str, str], str] = MappingProxyType({}),
    ensembles: Iterable[tuple[str, str]] = (),
    scale: tuple[float, float] = (1, 5),
    dataset: str = "d",
    threads: int = 1,
    raw: Mapping[str, Iterable[Mapping[str, Any]]] = MappingProxyType({}),
) -> Models:
    """Load made-up raw data, for the models over them to be asked for.

    Args:
        speeches: Item, debate, source.
        ratings: Item, annotator, value.
        scores: Judge, item, value, released value; one template.
        failures: Of judge and item: the kind of error there was instead of an answer; all other
            scores without a value are answers that could not be read.
        raw: Further rows by raw table, such as `debates` and `verdicts`, with what columns matter.
    """
    connection = duckdb.connect(":memory:", config={"threads": threads})
    connection.execute("attach ':memory:' as build; use build")
    schema.migrate(connection)
    functions.register(connection)

    def add(table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        insert(connection, table, rows, dataset)

    speeches, scores, verdicts = list(speeches), list(scores), list(raw.get("verdicts", ()))
    add("datasets", [{"title": "t", "licence": "l", "is_sample": False}])
    least, most = scale
    add("dimensions", [{"dimension": "q", "scale_min": least, "scale_max": most}])
    debates = {debate for _, debate, _ in speeches}
    add("debates", [{"debate_id": debate, "format": "opening_speech"} for debate in debates])
    add(
        "speeches",
        [
            {"item_id": item, "debate_id": debate, "source": source}
            for item, debate, source in speeches
        ],
    )
    add(
        "human_ratings",
        [
            {"item_id": item, "annotator_id": annotator, "dimension": "q", "value": value}
            for item, annotator, value in ratings
        ],
    )
    add("ensembles", [{"ensemble": name, "judge_id": judge} for name, judge in ensembles])
    judges = sorted({*(score[0] for score in scores), *(row["judge_id"] for row in verdicts)})
    add(
        "judges",
        [
            {"judge_id": judge, "provider": judge.split("/")[0], "model": judge.split("/")[1]}
            for judge in judges
        ],
    )
    add(
        "runs",
        [
            {
                "run_id": f"run-{judge}",
                "judge_id": judge,
                "origin": "run",
                "planned": len(scores) + len(verdicts),
                "started_at": NOW,
                "ended_at": NOW,
                "status": "complete",
            }
            for judge in judges
        ],
    )
    asked = {"prompt_hash": "p", "answered_at": NOW}
    add(
        "scores",
        [
            asked
            | {
                "run_id": f"run-{judge}",
                "request_id": str(number),
                "judge_id": judge,
                "item_id": item,
                "item_hash": "h",
                "dimension": "q",
                "value": value,
                "value_released": released,
                **outcome(value, failures.get((judge, item))),
            }
            for number, (judge, item, value, released) in enumerate(scores)
        ],
    )
    numbered = [
        asked | {"run_id": f"run-{row['judge_id']}", "request_id": f"v{number}", **row}
        for number, row in enumerate(verdicts)
    ]
    for table, rows in {**raw, "verdicts": numbered}.items():
        add(table, rows)
    return Models(compiled, connection)


def over(
    compiled: Compiled,
    columns: Mapping[str, str],
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> Models:
    """Return the models over given rows of the models and staged tables they are made from.

    Args:
        compiled: The project.
        columns: Names and types of the columns by table, each with its schema; none of these
            tables is built, nor what it is made from.
        rows: Rows by table; columns a row does not name are null, tables not named are empty.
    """
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.execute("attach ':memory:' as build; use build")
    functions.register(connection)
    models = Models(compiled, connection, {table.split(".")[1] for table in columns})
    for table, types in columns.items():
        connection.execute(f"create table {table} ({types})")
        fill(connection, table, rows.get(table, ()))
    return models


def over_home(compiled: Compiled, home: Home) -> Models:
    """Return the models over a copy of what a home has loaded, in memory."""
    connection = duckdb.connect(":memory:")
    functions.register(connection)
    connection.execute(f"attach '{home.build_db}' as loaded (read_only)")
    connection.execute("attach ':memory:' as build")
    connection.execute("copy from database loaded to build")
    connection.execute("detach loaded; use build")
    return Models(compiled, connection)


def rows_of(
    connection: Models | duckdb.DuckDBPyConnection, sql: str, parameters: object = None
) -> list[dict[str, Any]]:
    cursor = connection.execute(sql, parameters)
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def one(connection: Models, sql: str) -> dict[str, Any]:
    rows = rows_of(connection, sql)
    assert len(rows) == 1, rows
    return rows[0]
