"""The audit row: what a dbt build must have shown before its result may be published."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from warehouse.errors import PublishRefused
from warehouse.home import PROJECT_ROOT
from warehouse.schema import raw_load_id, utc_now

DBT_PROJECT = PROJECT_ROOT / "dbt_project"
RUN_RESULTS = "run_results.json"
_AUDITED = ("model", "seed", "snapshot", "test")
_PASSED = ("success", "pass", "warn")
_NAMED_AT_MOST = 8


class Audit(NamedTuple):
    """What one dbt build showed.

    Attributes:
        build_id: Number of the build.
        invocation_id: dbt's own id of the build.
        expected_count: Enabled models, seeds and tests of the project.
        passed_count: Those of them that ran in this invocation and passed.
        problems: What stands against publishing, in words; empty when nothing does.
    """

    build_id: int
    invocation_id: str
    expected_count: int
    passed_count: int
    problems: str


def project_hash(folder: Path = DBT_PROJECT) -> str:
    """Return a hash of every file that decides what dbt builds."""
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


def begin_build(connection: duckdb.DuckDBPyConnection, target: Path) -> int:
    """Write down that the marts are about to change, so that a build cut short cannot be published.

    Args:
        connection: A writer's connection.
        target: dbt's target folder. What an earlier build wrote there about itself is removed: it
            would vouch for a dbt that died before it did anything.

    Returns:
        The number of the build, for `finish_build`.
    """
    row = connection.execute("select coalesce(max(build_id), 0) + 1 from audit.builds").fetchone()
    build_id = int(row[0]) if row else 1
    (target / RUN_RESULTS).unlink(missing_ok=True)
    connection.execute(
        "insert into audit.builds values (?, ?, null, null, ?, ?, null, null, ?)",
        [
            build_id,
            utc_now(),
            raw_load_id(connection),
            project_hash(),
            "the build did not finish; run 'rostrum build'",
        ],
    )
    return build_id


def finish_build(connection: duckdb.DuckDBPyConnection, build_id: int, target: Path) -> Audit:
    """Fill in a build's audit row from what dbt wrote down about it.

    Args:
        connection: A writer's connection.
        build_id: What `begin_build` returned.
        target: The folder with dbt's `manifest.json` and `run_results.json`.
    """
    try:
        manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
        results = json.loads((target / RUN_RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problem = f"dbt ended without a readable account of what it did ({error})"
        audit = Audit(build_id, "", 0, 0, problem)
    else:
        audit = _judge(build_id, manifest, results)
    connection.execute(
        "update audit.builds set finished_at = ?, invocation_id = ?, expected_count = ?, "
        "passed_count = ?, problems = ? where build_id = ?",
        [
            utc_now(),
            audit.invocation_id,
            audit.expected_count,
            audit.passed_count,
            audit.problems,
            build_id,
        ],
    )
    return audit


def _judge(build_id: int, manifest: dict[str, Any], results: dict[str, Any]) -> Audit:
    expected = {
        node["unique_id"]
        for node in manifest["nodes"].values()
        if node["resource_type"] in _AUDITED and node.get("config", {}).get("enabled", True)
    }
    statuses = {result["unique_id"]: result["status"] for result in results["results"]}
    passed = {name for name in expected if statuses.get(name) in _PASSED}
    failed = {name for name in expected - passed if name in statuses}
    problems = []
    invocation = results["metadata"]["invocation_id"]
    if manifest["metadata"]["invocation_id"] != invocation:
        problems.append("manifest and results come from different dbt invocations")
    if failed:
        problems.append(f"failed or skipped: {_names(failed)}")
    if missing := expected - set(statuses):
        problems.append(f"not built: {_names(missing)}")
    return Audit(build_id, invocation, len(expected), len(passed), "; ".join(problems))


def _names(unique_ids: set[str]) -> str:
    short = sorted(".".join(name.split(".")[2:]) for name in unique_ids)
    more = f" and {len(short) - _NAMED_AT_MOST} more" if len(short) > _NAMED_AT_MOST else ""
    return ", ".join(short[:_NAMED_AT_MOST]) + more


def require_audit(connection: duckdb.DuckDBPyConnection) -> Audit:
    """Return the newest build's audit row, if it vouches for what the database holds now.

    Raises:
        PublishRefused: There was no build, it did not pass whole, or raw has changed since.
    """
    row = connection.execute(
        "select build_id, invocation_id, expected_count, passed_count, problems, raw_load_id "
        "from audit.builds order by build_id desc limit 1"
    ).fetchone()
    if row is None:
        message = "publish: nothing has been built in this home; run 'rostrum build'"
        raise PublishRefused(message)
    audit = Audit(row[0], row[1] or "", row[2] or 0, row[3] or 0, row[4])
    if audit.problems:
        message = f"publish: build {audit.build_id} may not be published: {audit.problems}"
        raise PublishRefused(message)
    if audit.expected_count != audit.passed_count or audit.expected_count == 0:
        message = (
            f"publish: build {audit.build_id} passed {audit.passed_count} of "
            f"{audit.expected_count} models and tests; run 'rostrum build'"
        )
        raise PublishRefused(message)
    newest = raw_load_id(connection)
    if newest != row[5]:
        message = (
            f"publish: data were loaded after build {audit.build_id} (load {newest}, built from "
            f"load {row[5]}); run 'rostrum build'"
        )
        raise PublishRefused(message)
    return audit
