"""The judges and ensembles of the settings files, in raw. Reading those is done elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import monotonic

import duckdb
import pyarrow as pa

from ingestion.contracts import JudgeRow
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    one_transaction,
    record_load,
    rows_changed,
    say_nothing,
    upsert,
)
from ingestion.score_tables import judge_table
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer


def load_judges(
    home: Home,
    judges: Sequence[JudgeRow],
    ensembles: Mapping[str, Sequence[str]],
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Bring `raw.judges` and `raw.ensembles` to what the settings files say.

    Judges that a file no longer names stay: their answers do. Ensembles are replaced as a whole.

    Args:
        home: The home.
        judges: Every judge of `judges.toml`.
        ensembles: The judge ids of every ensemble of `ensembles.toml`, by its name.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.
    """
    started = monotonic()
    with (
        open_writer(home, "load judges", wait_s=wait_s, notify=notify) as connection,
        one_transaction(connection),
    ):
        now = utc_now()
        tables = {"ensembles": _replace_ensembles(connection, ensembles, home, now)}
        if judges:
            tables["judges"] = upsert(
                connection,
                "judges",
                ["judge_id"],
                judge_table(judges),
                source_file=home.judges_file.name,
                now=now,
            )
        load_id = record_load(
            connection,
            kind="judges",
            source=home.judges_file.name,
            files=(),
            counts=sum(tables.values(), Counts()),
            rejects=(),
            now=now,
        )
    return LoadReport(home.judges_file.name, load_id, tables, 0, (), (), monotonic() - started)


def _replace_ensembles(
    connection: duckdb.DuckDBPyConnection,
    ensembles: Mapping[str, Sequence[str]],
    home: Home,
    now: datetime,
) -> Counts:
    wanted = {(name, member) for name, members in ensembles.items() for member in members}
    present = set(connection.execute("select ensemble, judge_id from raw.ensembles").fetchall())
    if wanted == present:
        return Counts(unchanged=len(present))
    connection.execute("delete from raw.ensembles")
    rows = pa.table(
        {
            "ensemble": pa.array([name for name, _ in sorted(wanted)], pa.string()),
            "judge_id": pa.array([member for _, member in sorted(wanted)], pa.string()),
        }
    )
    connection.register("staged", rows)
    try:
        rows_changed(
            connection,
            "insert into raw.ensembles select ensemble, judge_id, ?, ? from staged",
            home.ensembles_file.name,
            now,
        )
    finally:
        connection.unregister("staged")
    return Counts(len(wanted - present), len(present - wanted), len(wanted & present))
