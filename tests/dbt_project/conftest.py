"""Runs the compiled models on data a test makes up, in memory and in well under a second.

dbt compiles the project once; after that each example is plain SQL in the order of the graph. Real
dbt builds are tested elsewhere: what is tested here are the numbers.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.dbt import DBT, dbt_environment
from warehouse import functions, schema
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home

Rating = tuple[str, str, float]
NOW = "2026-01-01 00:00:00"


@dataclass(frozen=True)
class Compiled:
    """The project's models as SQL, in the order they must be built."""

    models: list[tuple[str, str, str]]
    seeds: dict[str, Path]


def compile_project(folder: Path, variables: dict[str, Any]) -> Compiled:
    home = Home(folder / "home").ensure()
    subprocess.run(
        [
            str(DBT), "compile", "--quiet", "--project-dir", str(DBT_PROJECT), "--profiles-dir",
            str(DBT_PROJECT), "--target-path", str(folder / "target"), "--log-path",
            str(folder / "target"), "--vars", json.dumps(variables), "--no-introspect",
        ],
        env=os.environ | dbt_environment(home),
        check=True,
    )  # fmt: skip
    manifest = json.loads((folder / "target" / "manifest.json").read_text())
    nodes = {
        name: node for name, node in manifest["nodes"].items() if node["resource_type"] == "model"
    }
    ordered: list[tuple[str, str, str]] = []
    done: set[str] = set()
    while len(done) < len(nodes):
        for name, node in nodes.items():
            if name not in done and all(
                parent in done for parent in node["depends_on"]["nodes"] if parent in nodes
            ):
                ordered.append((node["schema"], node["name"], node["compiled_code"]))
                done.add(name)
    return Compiled(ordered, {path.stem: path for path in (DBT_PROJECT / "seeds").rglob("*.csv")})


def build(
    compiled: Compiled,
    *,
    speeches: Iterable[tuple[str, str, str]],
    ratings: Iterable[Rating],
    scores: Iterable[tuple[str, str, float | None, float | None]] = (),
    ensembles: Iterable[tuple[str, str]] = (),
    scale: tuple[float, float] = (1, 5),
    dataset: str = "d",
    threads: int = 1,
) -> duckdb.DuckDBPyConnection:
    """Build every model over made-up raw data.

    Args:
        speeches: Item, debate, source.
        ratings: Item, annotator, value.
        scores: Judge, item, value, released value; one template.
    """
    connection = duckdb.connect(":memory:", config={"threads": threads})
    connection.execute("attach ':memory:' as build; use build")
    schema.migrate(connection)
    functions.register(connection)
    speeches, ratings, scores = list(speeches), list(ratings), list(scores)
    connection.execute(
        "insert into raw.datasets values (?, 't', 'l', null, null, false, 'f', ?)", [dataset, NOW]
    )
    connection.execute(
        "insert into raw.dimensions values (?, 'q', 'w', ?, ?, 'f', ?)", [dataset, *scale, NOW]
    )
    insert(
        connection, "debates",
        [(debate, dataset, "m", "opening_speech", None, "f", NOW)
         for debate in {speech[1] for speech in speeches}],
    )  # fmt: skip
    insert(
        connection, "speeches",
        [(item, dataset, debate, source, "text", 1, "h", None, "f", NOW)
         for item, debate, source in speeches],
    )  # fmt: skip
    insert(
        connection, "human_ratings",
        [(dataset, item, annotator, "q", value, "f", NOW) for item, annotator, value in ratings],
    )  # fmt: skip
    insert(connection, "ensembles", [(name, judge, "f", NOW) for name, judge in ensembles])
    judges = sorted({score[0] for score in scores})
    insert(
        connection, "judges",
        [(judge, *judge.split("/"), None, None, "{}", "s", "f", NOW) for judge in judges],
    )  # fmt: skip
    insert(
        connection, "runs",
        [(f"run-{judge}", "e", judge, "run", "s", "{}", None, len(scores), "v", NOW, NOW,
          "complete", "f", NOW) for judge in judges],
    )  # fmt: skip
    insert(
        connection, "scores",
        [(f"run-{judge}", str(number), "e", judge, "s", dataset, item, "h", "t", "equivalent", "p",
          "q", 0, "r", "answered", None, None, value, released,
          "unparsed" if value is None else "parsed", "no_score_tag" if value is None else None,
          None, None, None, None, NOW, None, "f", NOW)
         for number, (judge, item, value, released) in enumerate(scores)],
    )  # fmt: skip
    for name, path in compiled.seeds.items():
        connection.execute("create schema if not exists seeds")
        connection.execute(
            f"create table seeds.{name} as from read_csv(?, all_varchar = true)", [str(path)]
        )
    for layer, name, sql in compiled.models:
        connection.execute(f"create schema if not exists {layer}")
        connection.execute(f"create table {layer}.{name} as {sql}")
    connection.execute("set search_path = 'build.marts,build.intermediate'")
    return connection


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        places = ", ".join("?" * len(rows[0]))
        connection.executemany(f"insert into raw.{table} values ({places})", rows)


def one(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    """Return the only row of a query by column name."""
    cursor = connection.execute(sql)
    columns = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    assert len(rows) == 1, rows
    return dict(zip(columns, rows[0], strict=True))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """The project with thresholds that small random data can reach."""
    return compile_project(
        tmp_path_factory.mktemp("compiled"),
        {
            "min_shared_items": [3, 6],
            "min_items_per_annotator": 4,
            "bootstrap_replicates": 50,
        },
    )


@pytest.fixture(scope="session")
def built(compiled: Compiled) -> Callable[..., duckdb.DuckDBPyConnection]:
    """`build`, with the project already compiled."""

    def bound(**data: Any) -> duckdb.DuckDBPyConnection:
        return build(compiled, **data)

    return bound
