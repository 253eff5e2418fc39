"""Moving loaded data from the home's file to its lake, or back.

Only raw moves: everything else is built again.
"""

from collections.abc import Callable

import duckdb

from warehouse.compare import content
from warehouse.errors import LakeError
from warehouse.home import Home
from warehouse.lake.engine import CATALOG
from warehouse.lake.settings import DATA_SETTING, SETTING, lake_of
from warehouse.safe_text import sql_text
from warehouse.schema import one_transaction
from warehouse.waiting import say_nothing
from warehouse.writer import open_file, open_writer


def move(
    home: Home, *, to_lake: bool, notify: Callable[[str], None] = say_nothing
) -> dict[str, int]:
    """Copy every raw table to an empty warehouse, compare the copies, and return their rows.

    The source stays. All of it is copied, or nothing.

    Raises:
        LakeError: No lake is set, there is nothing to move, the target has data, or a copy differs.
    """
    if lake_of(home) is None:
        raise LakeError(
            f"move: {SETTING} names no lake; set it and {DATA_SETTING} also to move a home back"
        )
    if to_lake and not home.build_db.exists():
        raise LakeError(f"move: {home.root} has no warehouse file; there is nothing to move")
    # Brings the schema up to date.
    with open_file(home, notify=notify):
        pass
    with open_writer(home, "move", notify=notify) as connection:
        mode = " (read_only)" if to_lake else ""
        connection.execute(f"attach {sql_text(home.build_db)} as file{mode}")
        try:
            source, target = ("file", CATALOG) if to_lake else (CATALOG, "file")
            return _copy(connection, source, target)
        finally:
            connection.execute("detach file")


def _copy(connection: duckdb.DuckDBPyConnection, source: str, target: str) -> dict[str, int]:
    tables = [
        name
        for (name,) in connection.execute(
            "select table_name from duckdb_tables() where database_name = ? "
            "and schema_name = 'raw' order by table_name",
            [source],
        ).fetchall()
    ]
    if connection.execute(f"select 1 from {source}.raw.loads limit 1").fetchone() is None:
        raise LakeError("move: nothing was loaded there; there is nothing to move")
    if connection.execute(f"select 1 from {target}.raw.loads limit 1").fetchone() is not None:
        raise LakeError(
            "move: data were loaded already where this goes to; empty that first: remove "
            "build.duckdb, or name another database and folder for the lake"
        )
    rows = {}
    with one_transaction(connection):
        for table in tables:
            copied, original = f'{target}.raw."{table}"', f'{source}.raw."{table}"'
            if not connection.execute(f"select 1 from {original} limit 1").fetchone():
                continue
            connection.execute(f"insert into {copied} by name from {original}")
            before, after = (content(connection, each, original) for each in (original, copied))
            if before != after:
                raise LakeError(
                    f"move: raw.{table} differs after it was copied ({before[0]:,} and "
                    f"{after[0]:,} rows); nothing was moved"
                )
            rows[table] = after[0]
    return rows
