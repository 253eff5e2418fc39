"""The judges and ensembles of the settings files, in raw. Reading those is done elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import monotonic

import duckdb

from ingestion.batch import Counts, Step
from ingestion.raw_tables import (
    LoadReport,
    as_arrow,
    record_load,
    registered,
    remove_rows,
    rows_changed,
    upsert,
)
from warehouse.home import Home
from warehouse.records.core import JudgeRow
from warehouse.records.tables import arrow_schema
from warehouse.schema import one_transaction, utc_now
from warehouse.waiting import say_nothing
from warehouse.writer import open_writer


def load_judges(
    home: Home,
    judges: Sequence[JudgeRow],
    ensembles: Mapping[str, Sequence[str]],
    *,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Bring `raw.judges` and `raw.ensembles` to what the settings files say.

    Judges that a file no longer names stay: their answers do. Ensembles are replaced as a whole.

    Args:
        judges: Every judge of `judges.toml`.
        ensembles: The judge ids of every ensemble of `ensembles.toml`, by its name.
    """
    started = monotonic()
    with (
        open_writer(home, "load judges", notify=notify) as connection,
        one_transaction(connection),
    ):
        now = utc_now()
        tables = {"ensembles": _replace_ensembles(connection, ensembles, home, now)}
        if judges:
            name = home.judges_file.name
            tables["judges"] = upsert(connection, "judges", judges, source_file=name, now=now)
        source = home.judges_file.name
        load_id = record_load(connection, "judges", source, (), tables, (), now)
    return LoadReport(source, load_id, tables, (), (), monotonic() - started)


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
    remove_rows(connection, "ensembles", "true")
    rows = [{"ensemble": name, "judge_id": member} for name, member in sorted(wanted)]
    upsert(connection, "ensembles", rows, source_file=home.ensembles_file.name, now=now)
    return Counts(len(wanted - present), len(present - wanted), len(wanted & present))


def missing_judges(judges: Sequence[JudgeRow]) -> Step:
    """Return the step of a batch that does as `add_missing_judges`."""
    return Step(
        "judges",
        lambda connection, source_file, now: add_missing_judges(
            connection, judges, source_file=source_file, now=now
        ),
    )


def add_missing_judges(
    connection: duckdb.DuckDBPyConnection,
    judges: Sequence[JudgeRow],
    *,
    source_file: str,
    now: datetime,
) -> Counts:
    """Add judges that are not known; what is known of the others stays.

    Of a judge known from score files alone nothing is known, so it is replaced.
    """
    with registered(connection, "staged", as_arrow("judges", judges)):
        columns = ", ".join(arrow_schema("judges").names)
        setting = "".join(f"{name} = staged.{name}, " for name in arrow_schema("judges").names[1:])
        # Not a delete and an insert: where the commit then fails, on a full disk say, DuckDB 1.5.5
        # ends the process while it puts a deleted key back.
        replaced = rows_changed(
            connection,
            f"update raw.judges as known set {setting}_source_file = ?, _loaded_at = ? "
            "from staged where known.judge_id = staged.judge_id "
            "and known.settings = '{}' and known.settings_hash <> staged.settings_hash",
            source_file,
            now,
        )
        new = rows_changed(
            connection,
            f"insert into raw.judges ({columns}, _source_file, _loaded_at) "
            f"select {columns}, ?, ? from staged anti join raw.judges using (judge_id)",
            source_file,
            now,
        )
    return Counts(new, replaced, len(judges) - new - replaced)
