"""Only the models that a study is about, over tables made up in the place of those they read.

dbt compiles the models once; after that each study is their SQL in the order of the graph.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import duckdb

from benchmarks.building import run_dbt
from warehouse import functions

_SCHEMAS = ("intermediate", "marts", "staging", "seeds")


class Model(NamedTuple):
    """One model.

    Attributes:
        name: Its schema and name.
        sql: What dbt makes of it.
    """

    name: str
    sql: str


@cache
def compiled(select: str) -> tuple[Model, ...]:
    """Return models as dbt compiles them, each behind those it reads.

    Args:
        select: The models, as dbt selects them.
    """
    # The project stays parsed from one study to the next.
    path = Path(tempfile.gettempdir()) / "rostrum-studies" / "build.duckdb"
    run_dbt("compile", path, "--no-introspect", "--select", *select.split()).check_returncode()
    nodes = json.loads((path.parent / "target" / "manifest.json").read_text())["nodes"]
    chosen = {
        name: node
        for name, node in nodes.items()
        if node["resource_type"] == "model" and node.get("compiled_code")
    }
    graph = {name: chosen.keys() & node["depends_on"]["nodes"] for name, node in chosen.items()}
    return tuple(
        Model(f"{node['schema']}.{node['name']}", node["compiled_code"])
        for node in map(chosen.__getitem__, TopologicalSorter(graph).static_order())
    )


@contextmanager
def built(
    fill: Callable[[duckdb.DuckDBPyConnection], None], select: str
) -> Iterator[tuple[duckdb.DuckDBPyConnection, float]]:
    """Build models, and give a connection to read them and the seconds that took.

    Args:
        fill: Makes the tables that the models read, in a database with the project's schemas.
        select: The models, as dbt selects them.
    """
    models = compiled(select)
    with duckdb.connect() as connection:
        functions.register(connection)
        connection.execute("attach ':memory:' as build")
        connection.execute("use build")
        for schema in _SCHEMAS:
            connection.execute(f"create schema {schema}")
        fill(connection)
        started = time.monotonic()
        for model in models:
            connection.execute(f"create table build.{model.name} as {model.sql}")
        seconds = time.monotonic() - started
        connection.execute("set search_path = 'build.marts,build.intermediate'")
        yield connection, seconds
