"""The audit row: conditions that dbt builds must meet before their result may be published.

A build makes what has changed since it was last made and passed. Every model, seed and test has a
record of what it was made from. The record is deleted before its table changes, and written again
when the table is made and everything it reads is sound: a killed or failed build leaves no record
that is too good.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from warehouse.errors import PublishRefused
from warehouse.fingerprints import (
    Manifest,
    audited_nodes,
    fingerprints,
    is_same_code,
    parents_of,
    shared_hash,
)
from warehouse.home import PROJECT_ROOT
from warehouse.safe_text import sql_list, sql_text
from warehouse.schema import MIGRATIONS, raw_load_id, utc_now
from warehouse.subjects import left_out

DBT_PROJECT = PROJECT_ROOT / "dbt_project"
RUN_RESULTS = "run_results.json"
PASSED = ("success", "pass", "warn")
_NAMED_AT_MOST = 8
# Schemas that dbt reads or shares, and does not own.
_KEPT_SCHEMAS = {None, "main", "raw", "audit"}


class Build(NamedTuple):
    """A build about to begin.

    Attributes:
        current: Models and seeds that were made and passed from their present inputs, parents
            first.
        left: Stale nodes that stay stale, where one subject alone is built.
        made: Selected nodes that were made by the present code from the present tables: if these
            come out the same, there is nothing to do.
        retired: Tables of an earlier version of the project, which are dropped.
    """

    build_id: int
    project_hash: str
    parents: dict[str, list[str]]
    fingerprints: dict[str, str]
    current: list[str]
    left: set[str]
    selected: set[str]
    made: set[str]
    retired: list[str]

    @property
    def is_current(self) -> bool:
        """True when there is nothing to do."""
        return not self.selected


class Audit(NamedTuple):
    """Result of a build.

    Attributes:
        invocation_id: dbt's own id of the build; of the one before when there was nothing to do.
        problems: Reasons against publishing; empty for none.
    """

    build_id: int
    invocation_id: str
    expected_count: int
    passed_count: int
    problems: str


def project_hash(folder: Path = DBT_PROJECT) -> str:
    """Return a hash of every file that affects what dbt builds."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix in {".sql", ".yml", ".csv", ".py"} and inside.parts[0] not in {
            "target",
            "logs",
        }:
            digest.update(f"{inside.as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def rendering_hash() -> str:
    """Return a hash of everything that affects the statements dbt compiles."""
    parts = (project_hash(), shared_hash(DBT_PROJECT), *MIGRATIONS)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def begin_build(
    connection: duckdb.DuckDBPyConnection,
    target: Path,
    manifest: Manifest,
    *,
    is_full: bool = False,
    only: str | None = None,
) -> Build:
    """Find what has to be built, and record that it is about to change.

    Args:
        target: dbt's target folder. Results of an earlier build are removed if there is anything to
            do: they would vouch for a dbt that died.
        only: The subject to build, with what it needs; all subjects where not given.
    """
    row = connection.execute("select coalesce(max(build_id), 0) + 1 from audit.builds").fetchone()
    build_id = int(row[0]) if row else 1
    nodes = audited_nodes(manifest)
    now = fingerprints(connection, manifest, DBT_PROJECT)
    records = {} if is_full else _valid_records(connection, nodes)
    sound = {name for name, record in records.items() if record == now[name]}
    parents = {
        name: [parent for parent in parents_of(node) if parent in nodes]
        for name, node in nodes.items()
    }
    tests = {name for name, node in nodes.items() if node["resource_type"] == "test"}
    # A test runs together with what it tests, and with what reads that.
    again = {parent for name in tests - sound for parent in parents[name]}
    current: list[str] = []
    for name in TopologicalSorter(parents).static_order():
        if name in sound - tests - again and set(parents[name]).issubset(current):
            current.append(name)
    left = left_out(nodes, parents, current, only) if only else set()
    selected = set(nodes) - tests - left - set(current)
    # A test that reads no model runs whenever it has not passed.
    selected |= {
        name
        for name in tests - left
        if not selected.isdisjoint(parents[name]) or not (parents[name] or name in sound)
    }
    # The hash of everything read includes raw tables, whose changes it does not separate.
    made = {
        name
        for name in selected & records.keys()
        if is_same_code(records[name], now[name]) and nodes.keys() >= set(parents_of(nodes[name]))
    }
    if selected:
        (target / RUN_RESULTS).unlink(missing_ok=True)
    hash_now = project_hash()
    unfinished = sql_text("the build did not finish; run 'rostrum build'")
    connection.execute(
        f"insert into audit.builds values ({build_id}, {sql_text(utc_now())}, null, null, "
        f"{raw_load_id(connection)}, {sql_text(hash_now)}, null, null, {unfinished})"
    )
    kept = sql_list(sorted(sound & (tests | set(current))))
    connection.execute(f"delete from audit.nodes where not list_contains({kept}, unique_id)")
    retired = _drop_retired(connection, nodes.values())
    return Build(build_id, hash_now, parents, now, current, left, selected, made, retired)


def _drop_retired(
    connection: duckdb.DuckDBPyConnection, nodes: Iterable[Mapping[str, Any]]
) -> list[str]:
    """Drop tables and views that no node of the project makes; return their names."""
    built = {
        (node.get("schema"), node.get("alias", node.get("name")))
        for node in nodes
        if node["resource_type"] != "test"
    }
    schemas = {schema for schema, _ in built} - _KEPT_SCHEMAS
    found = connection.execute(
        "select 'table', schema_name, table_name from duckdb_tables() "
        "where database_name = current_database() union all "
        "select 'view', schema_name, view_name from duckdb_views() "
        "where database_name = current_database() order by all"
    ).fetchall()
    retired = [
        (kind, schema, name)
        for kind, schema, name in found
        if schema in schemas and (schema, name) not in built
    ]
    for kind, schema, name in retired:
        connection.execute(f'drop {kind} "{schema}"."{name}"')
    return [name for _, _, name in retired]


def _valid_records(
    connection: duckdb.DuckDBPyConnection, nodes: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return the records of tests that passed, and of existing models and seeds."""
    records = dict(connection.execute("select unique_id, fingerprint from audit.nodes").fetchall())
    tables = set(
        connection.execute(
            "select schema_name, table_name from duckdb_tables() union all "
            "select schema_name, view_name from duckdb_views()"
        ).fetchall()
    )
    return {
        name: records[name]
        for name, node in nodes.items()
        if name in records
        and (
            node["resource_type"] == "test"
            or (node.get("schema"), node.get("alias", node.get("name"))) in tables
        )
    }


def is_up_to_date(
    connection: duckdb.DuckDBPyConnection, manifest: Manifest, invocation_id: str
) -> bool:
    """Return whether a build would change nothing of an invocation's version."""
    try:
        audit = require_audit(connection)
    except PublishRefused:
        return False
    return audit.invocation_id == invocation_id and not stale_nodes(connection, manifest)


def stale_nodes(connection: duckdb.DuckDBPyConnection, manifest: Manifest) -> list[str]:
    """Return the models, seeds and tests that a build would make or run."""
    nodes = audited_nodes(manifest)
    now = fingerprints(connection, manifest, DBT_PROJECT)
    records = _valid_records(connection, nodes)
    return sorted(name for name in nodes if records.get(name) != now[name])


def _last_invocation(connection: duckdb.DuckDBPyConnection) -> str:
    row = connection.execute(
        "select invocation_id from audit.builds where invocation_id <> '' "
        "order by build_id desc limit 1"
    ).fetchone()
    return str(row[0]) if row else ""


def finish_build(connection: duckdb.DuckDBPyConnection, build: Build, target: Path) -> Audit:
    """Record what dbt has made, and complete the build's audit row."""
    try:
        results = (
            {"metadata": {"invocation_id": _last_invocation(connection)}, "results": []}
            if build.is_current
            else json.loads((target / RUN_RESULTS).read_text(encoding="utf-8"))
        )
    except (OSError, ValueError) as error:
        problem = f"dbt ended without a readable account of what it did ({error})"
        audit = Audit(build.build_id, "", 0, 0, problem)
    else:
        audit = _judge(connection, build, results)
    connection.execute(
        f"update audit.builds set finished_at = {sql_text(utc_now())}, "
        f"invocation_id = {sql_text(audit.invocation_id)}, "
        f"expected_count = {audit.expected_count}, passed_count = {audit.passed_count}, "
        f"problems = {sql_text(audit.problems)} where build_id = {build.build_id}"
    )
    return audit


def _judge(
    connection: duckdb.DuckDBPyConnection, build: Build, results: Mapping[str, Any]
) -> Audit:
    sound = {row[0] for row in connection.execute("select unique_id from audit.nodes").fetchall()}
    statuses = {result["unique_id"]: result["status"] for result in results["results"]}
    made = []
    # Parents first: a table made from something unsound is unsound.
    for name in TopologicalSorter(build.parents).static_order():
        if statuses.get(name) in PASSED and sound.issuperset(build.parents[name]):
            sound.add(name)
            made.append(name)
    names = sql_list(made)
    made_from = sql_list(build.fingerprints[name] for name in made)
    connection.execute(f"delete from audit.nodes where list_contains({names}, unique_id)")
    connection.execute(
        f"insert into audit.nodes select unnest({names}), unnest({made_from}), {build.build_id}"
    )
    expected = set(build.parents)
    failed = {
        name for name, status in statuses.items() if name in expected and status not in PASSED
    }
    problems = []
    if project_hash() != build.project_hash:
        problems.append("the dbt project was changed meanwhile; run 'rostrum build' again")
    broken = {
        result["unique_id"]: _broken_rules(connection, result["compiled_code"])
        for result in results["results"]
        if result["status"] == "fail" and result.get("compiled_code")
    }
    if rules := [rule for found in broken.values() for rule in found]:
        problems.append(f"broken: {_listed(rules)}")
    if unexplained := {name for name in failed if not broken.get(name)}:
        problems.append(f"failed or skipped: {_names(unexplained)}")
    if missing := expected - sound - failed:
        problems.append(f"not built: {_names(missing)}")
    return Audit(
        build.build_id,
        results["metadata"]["invocation_id"],
        len(expected),
        len(expected & sound - failed),
        "; ".join(problems),
    )


def _broken_rules(connection: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    """Return the broken rules of a failed test; empty if its rows name none."""
    try:
        rows = connection.execute(
            "select model, rule, count(*), min(row_key) "
            f"from ({query}) group by model, rule order by model, rule"
        ).fetchall()
    except duckdb.Error:
        return []
    return [
        f"{model}: {rule} ({count} row{'s' * (count > 1)}, such as {row_key})"
        for model, rule, count, row_key in rows
    ]


def _names(unique_ids: set[str]) -> str:
    return _listed(sorted(".".join(name.split(".")[2:]) for name in unique_ids))


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - _NAMED_AT_MOST} more" if len(texts) > _NAMED_AT_MOST else ""
    return ", ".join(texts[:_NAMED_AT_MOST]) + more


def require_audit(connection: duckdb.DuckDBPyConnection) -> Audit:
    """Return the newest build's audit row, if it vouches for the present database.

    Raises:
        PublishRefused: There was no build, it did not pass whole, or raw has changed since.
    """
    row = connection.execute(
        "select build_id, invocation_id, expected_count, passed_count, problems, raw_load_id "
        "from audit.builds order by build_id desc limit 1"
    ).fetchone()
    if row is None:
        raise PublishRefused("publish: nothing has been built in this home; run 'rostrum build'")
    audit = Audit(row[0], row[1] or "", row[2] or 0, row[3] or 0, row[4])
    if audit.problems:
        message = f"publish: build {audit.build_id} may not be published: {audit.problems}"
        raise PublishRefused(message)
    if audit.expected_count != audit.passed_count or audit.expected_count == 0:
        raise PublishRefused(
            f"publish: build {audit.build_id} passed {audit.passed_count} of "
            f"{audit.expected_count} models and tests; run 'rostrum build'"
        )
    newest = raw_load_id(connection)
    if newest != row[5]:
        raise PublishRefused(
            f"publish: data were loaded after build {audit.build_id} (load {newest}, built from "
            f"load {row[5]}); run 'rostrum build'"
        )
    return audit
