"""Writing runs and scores to raw: a run's scores are replaced together, and only if changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingestion.contracts import JudgeRow
from ingestion.raw_tables import Counts, rows_changed, upsert

_TIME = pa.timestamp("us")
RUN_SCHEMA = pa.schema(
    {
        "run_id": pa.string(), "experiment": pa.string(), "judge_id": pa.string(),
        "origin": pa.string(), "settings_hash": pa.string(), "settings": pa.string(),
        "item_file": pa.string(), "planned": pa.int64(), "code_version": pa.string(),
        "started_at": _TIME, "ended_at": _TIME, "status": pa.string(),
    }
)  # fmt: skip
SCORE_SCHEMA = pa.schema(
    {
        "run_id": pa.string(), "request_id": pa.string(), "experiment": pa.string(),
        "judge_id": pa.string(), "settings_hash": pa.string(), "dataset_id": pa.string(),
        "item_id": pa.string(), "item_hash": pa.string(), "template": pa.string(),
        "wording": pa.string(), "prompt_hash": pa.string(), "dimension": pa.string(),
        "sample": pa.int32(), "response": pa.string(), "request_status": pa.string(),
        "error_kind": pa.string(), "finish_reason": pa.string(), "value": pa.float64(),
        "value_released": pa.float64(), "parse_status": pa.string(), "parse_reason": pa.string(),
        "tokens_in": pa.int64(), "tokens_out": pa.int64(), "latency_s": pa.float64(),
        "cost_usd": pa.float64(), "answered_at": _TIME, "extra": pa.string(),
    }
)  # fmt: skip
JUDGE_SCHEMA = pa.schema(
    {
        "judge_id": pa.string(), "provider": pa.string(), "model": pa.string(),
        "family": pa.string(), "size_b_params": pa.float64(), "settings": pa.string(),
        "settings_hash": pa.string(),
    }
)  # fmt: skip


def write_runs(
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Mapping[str, Any]],
    scores: Sequence[Mapping[str, Any]],
    *,
    source_file: str,
    now: datetime,
) -> dict[str, Counts]:
    """Write runs, and put these scores in the place of all they had before.

    Args:
        connection: A writer's connection, in a transaction.
        runs: Rows of `raw.runs`.
        scores: Rows of `raw.scores`, all of these runs, each request once.
        source_file: For `_source_file`.
        now: For `_loaded_at`.

    Returns:
        Row counts of `runs` and `scores`.
    """
    staged_runs = pa.Table.from_pylist([dict(row) for row in runs], schema=RUN_SCHEMA)
    staged = pa.Table.from_pylist([dict(row) for row in scores], schema=SCORE_SCHEMA)
    counts = upsert(connection, "runs", ["run_id"], staged_runs, source_file=source_file, now=now)
    return {
        "runs": counts,
        "scores": _replace_scores(
            connection, staged, [row["run_id"] for row in runs], source_file, now
        ),
    }


def _replace_scores(
    connection: duckdb.DuckDBPyConnection,
    staged: pa.Table,
    run_ids: list[str],
    source_file: str,
    now: datetime,
) -> Counts:
    columns = ", ".join(SCORE_SCHEMA.names)
    connection.register("staged", staged)
    try:
        # Every name in these statements is a constant of this module.
        row = connection.execute(
            f"with present as (select {columns} from raw.scores where list_contains(?, run_id)) "  # noqa: S608
            f"select (select count(*) from (select {columns} from staged except from present)), "
            "    (select count(*) from staged anti join present using (run_id, request_id)), "
            "    (select count(*) from present anti join staged using (run_id, request_id))",
            [run_ids],
        ).fetchone()
        differing, new, gone = row or (0, 0, 0)
        counts = Counts(new, differing - new + gone, staged.num_rows - differing)
        if not counts.new and not counts.updated:
            return counts
        connection.execute("delete from raw.scores where list_contains(?, run_id)", [run_ids])
        connection.execute(
            f"insert into raw.scores ({columns}, _source_file, _loaded_at) "  # noqa: S608
            f"select {columns}, ?, ? from staged",
            [source_file, now],
        )
    finally:
        connection.unregister("staged")
    return counts


def add_missing_judges(
    connection: duckdb.DuckDBPyConnection,
    judges: Sequence[JudgeRow],
    *,
    source_file: str,
    now: datetime,
) -> Counts:
    """Add judges that are not known; what is known of the others stays.

    Of a judge known from score files alone nothing is known, so it is replaced.

    Args:
        connection: A writer's connection, in a transaction.
        judges: The judges, each once.
        source_file: For `_source_file`.
        now: For `_loaded_at`.
    """
    connection.register("staged", judge_table(judges))
    try:
        columns = ", ".join(JUDGE_SCHEMA.names)
        setting = "".join(f"{name} = staged.{name}, " for name in JUDGE_SCHEMA.names[1:])
        # Not a delete and an insert: where the commit then fails, on a full disk say, DuckDB 1.5.5
        # ends the process while it puts a deleted key back.
        replaced = rows_changed(
            connection,
            f"update raw.judges as known set {setting}_source_file = ?, _loaded_at = ? "  # noqa: S608
            "from staged where known.judge_id = staged.judge_id "
            "and known.settings = '{}' and known.settings_hash <> staged.settings_hash",
            source_file,
            now,
        )
        new = rows_changed(
            connection,
            f"insert into raw.judges ({columns}, _source_file, _loaded_at) "  # noqa: S608
            f"select {columns}, ?, ? from staged anti join raw.judges using (judge_id)",
            source_file,
            now,
        )
    finally:
        connection.unregister("staged")
    return Counts(new, replaced, len(judges) - new - replaced)


def judge_table(judges: Sequence[JudgeRow]) -> pa.Table:
    """Return judges as an Arrow table of the columns of `raw.judges`."""
    return pa.table(
        {
            field.name: pa.array([getattr(judge, field.name) for judge in judges], field.type)
            for field in JUDGE_SCHEMA
        },
        schema=JUDGE_SCHEMA,
    )
