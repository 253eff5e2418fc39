"""The harness of simulation studies.

A study has cells. Each plants a truth, draws many studies, sends them through the project's own
models and returns shares with their 99 % intervals. A criterion is a key that ends in `holds`; it
is fixed before the first run, and `broken` returns those that fail.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from scipy import stats

from benchmarks.building import run_dbt
from benchmarks.harness import write_result
from warehouse import functions

# What rows of a result are named by.
_NAMING = ("cell", "judge", "bias", "interval", "measure", "direction", "alarm", "family")
# Of each cell in the sweeps; the results that documents name have 2,000.
STUDIES = int(os.environ.get("ROSTRUM_STUDIES", "500"))
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


def clopper_pearson(hits: int, trials: int, level: float = 0.99) -> tuple[float, float]:
    """Return the exact interval of a share."""
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, hits, trials - hits + 1)) if hits else 0.0
    high = float(stats.beta.isf(tail, hits + 1, trials - hits)) if hits < trials else 1.0
    return low, high


def share_of(name: str, hits: int, trials: int) -> dict[str, float]:
    """Return a share and the ends of its 99 % Clopper-Pearson interval, as a result names them."""
    low, high = clopper_pearson(hits, trials)
    found = {name: hits / trials, f"{name}_low": low, f"{name}_high": high}
    return {each: round(value, 4) for each, value in found.items()}


def covers(hits: int, trials: int) -> dict[str, Any]:
    """Return in how many studies an interval holds the truth, and whether that can be 95 %."""
    _, high = clopper_pearson(hits, trials)
    return {"intervals": trials, **share_of("coverage", hits, trials), "holds": high >= 0.95}


def broken(found: Any, place: str = "") -> list[str]:
    """Return where a result has a criterion that does not hold."""
    if isinstance(found, Mapping):
        named = str(next((found[key] for key in _NAMING if key in found), ""))
        return [
            f"{place}{named}/{key}"
            for key, value in found.items()
            if str(key).endswith("holds") and value is False
        ] + [
            each for key, value in found.items() for each in broken(value, f"{place}{named}/{key}")
        ]
    if isinstance(found, list):
        return [each for one in found for each in broken(one, place)]
    return []


def simulate(
    cells: Mapping[str, Any],
    study_cell: Callable[..., dict[str, Any]],
    *,
    seed: int,
    only: str | None = None,
    **sizes: int,
) -> list[dict[str, Any]]:
    """Return what cells find, one after the other, each with a seed of its own.

    Args:
        cells: What each cell plants, by name.
        study_cell: Returns what a cell finds, given `studies`, `seed` and the other sizes.
        seed: The first cell's.
        only: The one cell that is wanted; None for all.
        sizes: Passed on.
    """
    found = []
    for number, (cell, planted) in enumerate(cells.items()):
        if only in (None, cell):
            started = time.monotonic()
            found.append(study_cell(cell, planted, seed=seed + 10 * number, **sizes))
            print(f"{cell}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return found


def main(
    name: str,
    cells: Mapping[str, Any],
    study_cell: Callable[..., dict[str, Any]],
    *,
    seed: int,
    **sizes: int,
) -> None:
    """Run a study as the command line asks, and write its result to `benchmarks/results`."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.soak.{name}")
    for each, usual in {"studies": 2000, "seed": seed, **sizes}.items():
        parser.add_argument(f"--{each}", type=int, default=usual)
    parser.add_argument("--cell", choices=list(cells), help="this one alone")
    asked = vars(parser.parse_args())
    only = asked.pop("cell")
    found = simulate(cells, study_cell, only=only, **asked)
    variant = "" if asked["seed"] == seed else f"seed-{asked['seed']}"
    write_result(name, {**asked, "cells": found, "variant": variant})
