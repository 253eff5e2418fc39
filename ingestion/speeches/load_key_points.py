"""Loading analyses of key points: one analysis and that of the labelled set, all or nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Any

import duckdb
import pyarrow as pa

from inference.speeches.keypoints.labelled import labels
from inference.speeches.keypoints.results import (
    KEY_POINTS,
    RESERVED,
    Analysis,
    Found,
    read_analysis,
)
from inference.steps.files import step_path
from ingestion.batch import SourceFile
from ingestion.errors import explained_when_full
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    one_transaction,
    record_load,
    rows_changed,
    say_nothing,
    upsert,
)
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer

_Rows = Sequence[Mapping[str, Any]]
# Each table's key besides the analysis.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "key_point_analyses": (),
    "key_point_justifications": ("request_id",),
    "key_point_sentences": ("sentence_id",),
    "key_points": ("key_point_id",),
    "key_point_matches": ("sentence_id", "key_point_id"),
}


def load_key_points(
    home: Home,
    name: str,
    dimension: str | None = None,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load an analysis as its folder has it, in the place of what an earlier load of it brought.

    With it comes what the same method found in the labelled set. A load that changes nothing leaves
    no trace.

    Args:
        home: The home.
        name: The analysis.
        dimension: What was scored; the data set's only dimension unless given.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        KeyPointsFailed: Its steps are not done, or not of one analysis.
        NoSpace: The disk is full.
    """
    started = time.monotonic()
    folder = home.key_points / name
    analysis = read_analysis(folder)
    path = step_path(folder, KEY_POINTS)
    file = SourceFile(str(path), str(path.relative_to(home.root)), sha256_file(path), 1)
    with (
        explained_when_full(f"loading key points '{name}'", home.build_db),
        open_writer(home, f"key points {name}", wait_s=wait_s, notify=notify) as connection,
    ):
        now = utc_now()
        with one_transaction(connection):
            tables = _load_tables(connection, name, analysis, dimension, file.label, now)
            load_id = record_load(
                connection,
                kind="dataset",
                source=f"key_points/{name}",
                files=[file],
                counts=sum(tables.values(), Counts()),
                rejects=[],
                now=now,
            )
    seconds = time.monotonic() - started
    return LoadReport(f"key_points/{name}", load_id, tables, 0, [], [], seconds)


def _load_tables(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    analysis: Analysis,
    dimension: str | None,
    label: str,
    now: datetime,
) -> dict[str, Counts]:
    settings = analysis.settings
    labelled_id = f"{RESERVED}/{analysis.method_hash[:16]}"
    if dimension is None:
        found = connection.execute(
            "select any_value(dimension) from raw.scores as scores where request_id in "
            "(select unnest(?)) and dataset_id = ?",
            [[each["request_id"] for each in analysis.justifications], settings["dataset"]],
        ).fetchone()
        dimension = found[0] if found else None
    shared = {
        "embedder": settings["embedder"],
        "polarity_by": settings["polarity_by"],
        "match_threshold": settings["limits"]["match_threshold"],
        "redundancy_threshold": settings["limits"]["redundancy_threshold"],
        "method_hash": analysis.method_hash,
        "seed": settings["limits"]["seed"],
        "code_version": version("rostrum"),
        "made_at": datetime.fromisoformat(analysis.made_at).replace(tzinfo=None),
    }
    about = {
        "name": name,
        "is_labelled": False,
        "dataset_id": settings["dataset"],
        "dimension": dimension,
        "template": settings["template"],
        "rephraser": settings["rephraser"],
        "settings": json.dumps(settings, sort_keys=True),
        **shared,
    }
    of_method = {key: settings[key] for key in ("embedder", "limits", "polarity_by")}
    about_labelled = {
        "name": RESERVED,
        "is_labelled": True,
        "dataset_id": None,
        "dimension": None,
        "template": None,
        "rephraser": "none",
        "settings": json.dumps(of_method, sort_keys=True),
        **shared,
    }
    # The first time is as good as any: what the same method finds in it never changes.
    earlier = connection.execute(
        "select made_at, code_version from raw.key_point_analyses where analysis_id = ?",
        [labelled_id],
    ).fetchone()
    if earlier:
        about_labelled |= {"made_at": earlier[0], "code_version": earlier[1]}
    tables: dict[str, Counts] = {}
    for analysis_id, facts, found_in, justified in (
        (name, about, analysis.found, analysis.justifications),
        (labelled_id, about_labelled, analysis.labelled, ()),
    ):
        rows = {
            "key_point_analyses": [facts],
            "key_point_justifications": _justifications(justified),
            **_found(found_in),
        }
        for table, own in rows.items():
            counts = _replace(connection, table, analysis_id, own, label, now)
            tables[table] = tables.get(table, Counts()) + counts
    tables["key_point_labels"] = _replace_labels(connection, label, now)
    gone = _remove_unused(connection)
    tables["key_point_analyses"] += Counts(updated=gone)
    return tables


def _justifications(rows: _Rows) -> list[dict[str, Any]]:
    return [
        {
            **{
                key: row[key]
                for key in (
                    "judge_id",
                    "item_id",
                    "request_id",
                    "run_id",
                    "sample",
                    "rephrased_by",
                    "status",
                    "reason",
                    "word_count",
                )
            },
            "justification": row["text"],
            "rephrased": "\n".join(row["rephrased"]) or None,
            "sentence_count": len(row["rephrased"]),
        }
        for row in rows
    ]


def _found(found: Found) -> dict[str, list[dict[str, Any]]]:
    sentences = [
        {
            **{key: value for key, value in row.items() if key not in ("motion", "stands_as")},
            "word_count": len(row["text"].split()),
            "is_candidate": row["candidate_reason"] is None,
        }
        for row in found.sentences
    ]
    return {
        "key_point_sentences": sentences,
        "key_points": [dict(row) for row in found.key_points],
        "key_point_matches": [dict(row) for row in found.matches],
    }


def _replace(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    analysis_id: str,
    rows: Sequence[Mapping[str, Any]],
    label: str,
    now: datetime,
) -> Counts:
    """Make a table's rows of an analysis these and no others."""
    keys = ["analysis_id", *_KEYS[table]]
    staged = _typed(connection, table, [{"analysis_id": analysis_id, **row} for row in rows])
    gone = _remove_others(connection, table, keys, staged, "analysis_id = ?", analysis_id)
    if not staged.num_rows:
        return gone
    return gone + upsert(connection, table, keys, staged, source_file=label, now=now)


def _replace_labels(connection: duckdb.DuckDBPyConnection, label: str, now: datetime) -> Counts:
    table, rows = "key_point_labels", [each._asdict() for each in labels()]
    staged = _typed(connection, table, rows)
    gone = _remove_others(connection, table, ["sentence_id"], staged, "true")
    return gone + upsert(connection, table, ["sentence_id"], staged, source_file=label, now=now)


def _remove_others(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    keys: Sequence[str],
    staged: pa.Table,
    where: str,
    *parameters: object,
) -> Counts:
    same = " and ".join(f"target.{key} = staged.{key}" for key in keys)
    connection.register("staged", staged)
    try:
        gone = rows_changed(
            connection,
            f"delete from raw.{table} as target where {where} "
            f"and not exists (from staged where {same})",
            *parameters,
        )
    finally:
        connection.unregister("staged")
    return Counts(updated=gone)


def _remove_unused(connection: duckdb.DuckDBPyConnection) -> int:
    """Remove analyses of the labelled set with methods that no analysis uses any more."""
    unused = (
        "(select analysis_id from raw.key_point_analyses where is_labelled and method_hash not in "
        "(select method_hash from raw.key_point_analyses where not is_labelled))"
    )
    # The analyses themselves go last: by them the rest is found.
    return sum(
        rows_changed(connection, f"delete from raw.{table} where analysis_id in {unused}")
        for table in reversed(tuple(_KEYS))
    )


def _typed(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Mapping[str, Any]]
) -> pa.Table:
    """Give the columns the types their table has: those that are null throughout have none."""
    kinds = connection.execute(f"from raw.{table} limit 0").to_arrow_table().schema
    names = list(rows[0]) if rows else ["analysis_id", *_KEYS[table]]
    schema = pa.schema([kinds.field(name).with_nullable(True) for name in names])
    return pa.Table.from_pylist([dict(row) for row in rows], schema)
