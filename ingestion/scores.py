"""Importing scores made elsewhere: a file's rows become one run per judge, or nothing at all.

An imported judge has one settings hash, whatever the file, so that a corrected file supersedes an
earlier one by time. Importing the same file again changes nothing: each answer keeps the item hash
it was first imported with, so an answer to a text that has changed since stays stale.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

import duckdb

from ingestion.batch import MAX_REJECTED, Reject, refuse_too_many
from ingestion.contracts import JudgeRow
from ingestion.errors import explained_when_full
from ingestion.landing import Landed, land
from ingestion.raw_tables import Counts, LoadReport, one_transaction, record_load, say_nothing
from ingestion.score_files import FileRow, read_score_file
from ingestion.score_items import EXPERIMENT, SETTINGS, SETTINGS_HASH, ScoreResolver
from ingestion.score_tables import add_missing_judges, write_runs
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer

SOURCE = "imported_scores"


def import_scores(
    home: Home,
    path: Path,
    *,
    wanted_format: str | None = None,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a score file: all its valid rows, or, when too many are not, none.

    Args:
        home: The home.
        path: The file.
        wanted_format: `csv`, `jsonl` or `parquet`; told from the file's name when not given.
        max_rejected: The largest share of rejected rows, 0 to 1.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        SourceUnreadable: The file is not what it should be.
        TooManyRejected: Too large a share of its rows is rejected; nothing is loaded.
        NoSpace: The disk is full.
    """
    started = monotonic()
    path = path.expanduser()
    landed = land(
        home, path, source=SOURCE, licence="the importer's own", origin=str(path.resolve())
    )
    rows: list[FileRow] = []
    rejects: list[Reject] = []
    for row in read_score_file(landed, wanted_format):
        (rejects if isinstance(row, Reject) else rows).append(row)  # type: ignore[arg-type]
    file = landed.source_file(len(rows) + sum(reject.weight for reject in rejects))
    with (
        explained_when_full(f"importing {landed.shown}", home.build_db),
        open_writer(home, f"import {path.name}", wait_s=wait_s, notify=notify) as connection,
        one_transaction(connection),
    ):
        now = utc_now()
        resolver = ScoreResolver(connection, rows, landed.shown)
        keyed = list(resolver.valid_rows(rows, rejects))
        refuse_too_many([file], rejects, max_rejected)
        first_load = _first_load(connection, landed.sha256) or now
        run_ids = _run_ids(landed, (key.judge for key, _ in keyed))
        scores = [resolver.score(key, row, run_ids[key.judge], first_load) for key, row in keyed]
        runs = _runs(run_ids, scores)
        _keep_first(connection, runs, scores)
        tables = write_runs(connection, runs, scores, source_file=landed.label, now=now)
        judges = [_judge(judge) for judge in run_ids]
        tables["judges"] = add_missing_judges(connection, judges, source_file=landed.label, now=now)
        load_id = record_load(
            connection,
            kind="scores",
            source=SOURCE,
            files=[file],
            counts=sum(tables.values(), Counts()),
            rejects=rejects,
            now=now,
        )
    return LoadReport(SOURCE, load_id, tables, len(rejects), rejects, (), monotonic() - started)


def _first_load(connection: duckdb.DuckDBPyConnection, sha256: str) -> datetime | None:
    """Return when these bytes were first imported: what rows without a time carry for good."""
    row = connection.execute(
        "select min(loaded_at) from raw.loads where kind = 'scores' and sha256 = ?", [sha256]
    ).fetchone()
    return row[0] if row else None


def _run_ids(landed: Landed, judges: Iterable[str]) -> dict[str, str]:
    slugs = {judge: judge.replace("/", "-").replace(":", "-") for judge in sorted(set(judges))}
    shared = Counter(slugs.values())
    return {
        judge: f"import-{landed.sha256[:12]}-{slug}"
        # Two ids of one file may differ only in what the slug leaves out.
        + (f"-{hashlib.sha256(judge.encode()).hexdigest()[:6]}" if shared[slug] > 1 else "")
        for judge, slug in slugs.items()
    }


def _judge(judge_id: str) -> JudgeRow:
    provider, model = judge_id.split("/", 1)
    return JudgeRow(judge_id, provider, model, settings="{}", settings_hash=SETTINGS_HASH)


def _runs(run_ids: dict[str, str], scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    times: dict[str, list[datetime]] = defaultdict(list)
    for score in scores:
        times[score["judge_id"]].append(score["answered_at"])
    return [
        {
            "run_id": run_id,
            "experiment": EXPERIMENT,
            "judge_id": judge,
            "origin": "import",
            "settings_hash": SETTINGS_HASH,
            "settings": SETTINGS,
            "planned": len(times[judge]),
            "code_version": version("rostrum"),
            "started_at": min(times[judge]),
            "ended_at": max(times[judge]),
            "status": "complete",
        }
        for judge, run_id in run_ids.items()
    ]


def _keep_first(
    connection: duckdb.DuckDBPyConnection,
    runs: list[dict[str, Any]],
    scores: list[dict[str, Any]],
) -> None:
    """Let what was imported before keep its code version, and the hash of the text it is about."""
    run_ids = [run["run_id"] for run in runs]
    versions = dict(
        connection.execute(
            "select run_id, code_version from raw.runs where list_contains(?, run_id)", [run_ids]
        ).fetchall()
    )
    for run in runs:
        run["code_version"] = versions.get(run["run_id"], run["code_version"])
    known = {
        (run_id, request_id): item_hash
        for run_id, request_id, item_hash in connection.execute(
            "select run_id, request_id, item_hash from raw.scores where list_contains(?, run_id)",
            [run_ids],
        ).fetchall()
    }
    for score in scores:
        score["item_hash"] = known.get((score["run_id"], score["request_id"]), score["item_hash"])
