"""What made-up data of all subjects share: their data set, and judges with a run each."""

import duckdb

from warehouse.schema import migrate

AT = "timestamp '2026-01-01 00:00:00'"
ORIGIN = f"'made up' as _source_file, {AT} as _loaded_at"


def make_schema(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the raw schema in an empty database, with the data set `made-up`."""
    migrate(connection)
    connection.execute(
        "insert into raw.datasets by name select 'made-up' as dataset_id, 'Made up' as title, "
        f"'none' as licence, false as is_sample, {ORIGIN}"
    )


def fill_judges(
    connection: duckdb.DuckDBPyConnection, judges: int, experiment: str, planned: int
) -> None:
    """Fill raw with `made-up/judge-0` and so on, each with a whole run `run-0` and so on.

    Args:
        connection: A database that holds the raw schema.
        judges: Number of judges.
        experiment: What the runs are of.
        planned: Requests of each.
    """
    connection.execute(
        "insert into raw.judges by name select 'made-up/judge-' || judge as judge_id, 'made-up' "
        "as provider, 'judge-' || judge as model, '{}' as settings, 's' as settings_hash, "
        f"{ORIGIN} from range({judges}) as judges (judge)"
    )
    connection.execute(
        f"insert into raw.runs by name select 'run-' || judge as run_id, '{experiment}' as "
        "experiment, 'made-up/judge-' || judge as judge_id, 'run' as origin, 's' as "
        f"settings_hash, '{{}}' as settings, {planned} as planned, 'v' as code_version, {AT} as "
        f"started_at, {AT} as ended_at, 'complete' as status, {ORIGIN} "
        f"from range({judges}) as judges (judge)"
    )
