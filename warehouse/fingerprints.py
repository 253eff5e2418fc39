"""Hashes of the present inputs of each model and test of the dbt project.

A hash covers the content of every raw table read, directly or through other models, the code of the
model and of all it reads, and what all models share: macros, variables, the warehouse's functions
and fits, and the versions of their packages. Equal hashes mean equal tables; unknown inputs change
the hash, and the model is built again.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

import duckdb
from packaging.requirements import Requirement

from warehouse.home import PROJECT_ROOT

AUDITED = ("model", "seed", "snapshot", "test")
_HASH_LENGTH = 32
# Fields of a node that affect its table; descriptions and times do not.
_DECIDES = ("raw_code", "config", "test_metadata", "schema", "alias", "refs", "sources")

Manifest = Mapping[str, Any]


def audited_nodes(manifest: Manifest) -> dict[str, dict[str, Any]]:
    """Return the enabled models, seeds and tests by their unique id."""
    return {
        name: node
        for name, node in manifest["nodes"].items()
        if node["resource_type"] in AUDITED and node.get("config", {}).get("enabled", True)
    }


def fingerprints(
    connection: duckdb.DuckDBPyConnection, manifest: Manifest, project: Path
) -> dict[str, str]:
    """Return each enabled model's, seed's and test's hash."""
    nodes = audited_nodes(manifest)
    shared = shared_hash(project)
    columns = _columns(connection)
    parents = {name: parents_of(node) for name, node in nodes.items()}
    found: dict[str, str] = {}
    for name in TopologicalSorter(parents).static_order():
        if name in nodes:
            own = _code(nodes[name], project)
            read = [found.get(parent, "unknown") for parent in sorted(parents[name])]
            found[name] = _hash(shared, own) + _hash(*read)
        elif name in manifest.get("sources", {}):
            source = manifest["sources"][name]
            place = source["schema"], source["name"]
            found[name] = _content(connection, place, columns.get(place))
    return {name: found[name] for name in nodes}


def is_same_code(one: str, other: str) -> bool:
    """Return whether two hashes of a node differ at most in what it reads."""
    return one[:_HASH_LENGTH] == other[:_HASH_LENGTH]


def parents_of(node: Mapping[str, Any]) -> list[str]:
    """Return the unique ids of the raw tables, seeds and models that a node reads."""
    return list(node.get("depends_on", {}).get("nodes", ()))


def _code(node: Mapping[str, Any], project: Path) -> str:
    facts = json.dumps([node.get(key) for key in _DECIDES], sort_keys=True, default=str)
    # dbt keeps no content of a seed, and of a large one not even a hash.
    rows = b""
    if node["resource_type"] == "seed":
        rows = (project / node["original_file_path"]).read_bytes()
    return _hash(facts, hashlib.sha256(rows).hexdigest())


def _columns(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the columns and types of each table, by schema and name."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    # No parameters, here and below: for those DuckDB imports pandas, which takes half a second.
    for schema, table, column, kind in connection.execute(
        "select schema_name, table_name, column_name, data_type from duckdb_columns() "
        "where database_name = current_database() order by column_index"
    ).fetchall():
        found.setdefault((schema, table), []).append((column, kind))
    return found


def _content(
    connection: duckdb.DuckDBPyConnection,
    place: tuple[str, str],
    columns: list[tuple[str, str]] | None,
) -> str:
    """Hash a raw table in any order of its rows."""
    if columns is None:
        return "missing"
    schema, name = place
    rows = connection.execute(
        f'select count(*), sum(hash(t)), bit_xor(hash(t)) from "{schema}"."{name}" as t'
    ).fetchone()
    return _hash(str(columns), str(rows))


def shared_hash(project: Path) -> str:
    """Return a hash of what all models share."""
    digest = hashlib.sha256()
    paths = [
        *project.glob("*.yml"),
        *(project / "macros").rglob("*.sql"),
        *(project / "plugins").rglob("*.py"),
        *(PROJECT_ROOT / "warehouse").rglob("*.py"),
    ]
    for path in sorted(paths):
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    digest.update(_packages().encode())
    return digest.hexdigest()


@cache
def _packages() -> str:
    """Return the versions of the packages of a build."""
    needed = [Requirement(line) for line in requires("rostrum") or ()]
    return "".join(f"{one.name}=={version(one.name)}\0" for one in needed if one.marker is None)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_HASH_LENGTH]
