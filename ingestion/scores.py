"""Importing scores made elsewhere: a file's rows become one run per judge, or nothing at all.

An imported judge has one settings hash, whatever the file, so that a corrected file supersedes an
earlier one by time. Importing the same file again changes nothing: each answer keeps the item hash
it was first imported with, so an answer to a text that has changed since stays stale.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from inference.parsing import parse_score, parse_score_released
from ingestion.batch import MAX_REJECTED, Reject, original_of, refuse_too_many
from ingestion.contracts import JudgeRow
from ingestion.errors import explained_when_full
from ingestion.landing import Landed, land
from ingestion.raw_tables import Counts, LoadReport, one_transaction, record_load, say_nothing
from ingestion.score_files import FileRow, read_score_file
from ingestion.score_tables import add_missing_judges, write_runs
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer

EXPERIMENT = "imported"
SOURCE = "imported_scores"
WORDING = "imported"
_SETTINGS = json.dumps({"origin": "imported"}, separators=(",", ":"))
SETTINGS_HASH = hashlib.sha256(_SETTINGS.encode()).hexdigest()[:16]
# Of a data set with several dimensions, the one meant when a file names none.
_USUAL_DIMENSION = "goodopeningspeech"


class _Item(NamedTuple):
    dataset_id: str
    item_hash: str


class _Key(NamedTuple):
    item: str
    judge: str
    template: str
    dimension: str
    sample: int


_Scales = dict[str, dict[str, tuple[float, float]]]


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
    started, now = monotonic(), utc_now()
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
        resolver = _Resolver(connection, rows, landed.shown)
        keyed = list(resolver.valid_rows(rows, rejects))
        refuse_too_many([file], rejects, max_rejected)
        first_load = _first_load(connection, landed.sha256) or now
        run_ids = _run_ids(landed, (key.judge for key, _ in keyed))
        scores = [resolver.score(key, row, run_ids[key.judge], first_load) for key, row in keyed]
        _keep_first_hashes(connection, scores, list(run_ids.values()))
        tables = write_runs(
            connection, _runs(run_ids, scores), scores, source_file=landed.label, now=now
        )
        judges = [
            JudgeRow(judge, *judge.split("/", 1), settings="{}", settings_hash=SETTINGS_HASH)
            for judge in run_ids
        ]
        tables["judges"] = add_missing_judges(
            connection, judges, source_file=landed.label, now=now
        )
        load_id = record_load(
            connection,
            kind="scores",
            source=SOURCE,
            files=[file],
            counts=sum(tables.values(), Counts()),
            rejects=rejects,
            now=now,
        )
    return LoadReport(
        SOURCE, load_id, tables, len(rejects), rejects, (), monotonic() - started
    )


class _Resolver:
    """Finds what a file's rows are about in the warehouse."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, rows: list[FileRow], shown: str
    ) -> None:
        self._shown = shown
        self._scales: _Scales = defaultdict(dict)
        for dataset_id, dimension, low, high in connection.execute(
            "select dataset_id, dimension, scale_min, scale_max from raw.dimensions"
        ).fetchall():
            self._scales[dataset_id][dimension] = (low, high)
        names = pa.table({"item": sorted({row.score.item for row in rows})}, {"item": pa.string()})
        connection.register("wanted", names)
        try:
            self._items = {
                item: _Item(dataset_id, item_hash)
                for item, dataset_id, item_hash in connection.execute(
                    "select item_id, dataset_id, item_hash from raw.speeches "
                    "inner join wanted on item_id = item"
                ).fetchall()
            }
        finally:
            connection.unregister("wanted")
        self._datasets = sorted(
            row[0] for row in connection.execute("select dataset_id from raw.datasets").fetchall()
        )

    def valid_rows(
        self, rows: Iterable[FileRow], rejects: list[Reject]
    ) -> Iterator[tuple[_Key, FileRow]]:
        """Yield rows about known items, each key once; the others go to `rejects`."""
        seen: dict[_Key, str] = {}
        for row in rows:
            problem = self._problem(row)
            if isinstance(problem, _Key):
                if problem not in seen:
                    seen[problem] = row.record.place
                    yield problem, row
                    continue
                earlier = seen[problem]
                problem = ("item", f"duplicate key: {earlier} has the same item, judge, template, "
                           "dimension and sample")
            field, reason = problem
            original = original_of(row.record.fields)
            rejects.append(Reject(self._shown, row.record.place, field, reason, original))

    def _problem(self, row: FileRow) -> _Key | tuple[str, str]:
        """Return the row's full key, or the field and reason why it has none."""
        score = row.score
        item = self._items.get(score.item)
        if item is None:
            there = ", ".join(self._datasets) or "none; load one with 'rostrum ingest'"
            reason = (
                f"unknown item {score.item!r}; expected an id such as 'speeches:<the file's id>'; "
                f"data sets loaded: {there}"
            )
            return "item", reason
        scales = self._scales[item.dataset_id]
        dimension = score.dimension
        if dimension is None:
            dimension = next(iter(scales)) if len(scales) == 1 else _USUAL_DIMENSION
        if dimension not in scales:
            there = ", ".join(sorted(scales)) or "none"
            reason = f"data set {item.dataset_id} has no dimension {dimension!r}; it has: {there}"
            return "dimension", reason
        low, high = scales[dimension]
        if score.value is not None and not low <= score.value <= high:
            return "value", f"is off the scale {low:g} to {high:g}: {score.value:g}"
        return _Key(score.item, score.judge, score.template, dimension, score.sample)

    def score(
        self, key: _Key, row: FileRow, run_id: str, first_load: datetime
    ) -> dict[str, Any]:
        """Return a row of `raw.scores`."""
        score, item = row.score, self._items[key.item]
        low, high = self._scales[item.dataset_id][key.dimension]
        value, released, status, reason = score.value, score.value, "supplied", None
        if value is None:
            response = score.response or ""
            value, status, reason = parse_score(response, int(low), int(high))
            exact = parse_score_released(response)
            released = None if exact is None else float(exact)
        identity = json.dumps(list(key), ensure_ascii=False)
        return {
            "run_id": run_id,
            "request_id": hashlib.sha256(identity.encode()).hexdigest()[:32],
            "experiment": EXPERIMENT,
            "judge_id": key.judge,
            "settings_hash": SETTINGS_HASH,
            "dataset_id": item.dataset_id,
            "item_id": key.item,
            "item_hash": item.item_hash,
            "template": key.template,
            "wording": WORDING,
            "dimension": key.dimension,
            "sample": key.sample,
            "response": score.response,
            "request_status": "answered",
            "value": value,
            "value_released": released,
            "parse_status": status,
            "parse_reason": reason,
            "tokens_in": score.tokens_in,
            "tokens_out": score.tokens_out,
            "latency_s": score.latency_s,
            "cost_usd": score.cost_usd,
            "answered_at": row.answered_at or first_load,
            "extra": score.extra,
        }


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
            "settings": _SETTINGS,
            "planned": len(times[judge]),
            "code_version": version("rostrum"),
            "started_at": min(times[judge]),
            "ended_at": max(times[judge]),
            "status": "complete",
        }
        for judge, run_id in run_ids.items()
    ]


def _keep_first_hashes(
    connection: duckdb.DuckDBPyConnection, scores: list[dict[str, Any]], run_ids: list[str]
) -> None:
    """Let answers that were imported before keep the hash of the text they were about."""
    known = {
        (run_id, request_id): item_hash
        for run_id, request_id, item_hash in connection.execute(
            "select run_id, request_id, item_hash from raw.scores where list_contains(?, run_id)",
            [run_ids],
        ).fetchall()
    }
    for score in scores:
        score["item_hash"] = known.get(
            (score["run_id"], score["request_id"]), score["item_hash"]
        )
