"""Moving what was loaded from the home's file to its lake, or back.

Raw moves, and nothing else: what is built of it is built again, so that no figure rests on a copy.
"""

import contextlib
from collections.abc import Callable

import duckdb

from warehouse.compare import content
from warehouse.errors import LakeError
from warehouse.home import Home
from warehouse.lake.engine import CATALOG
from warehouse.lake.settings import DATA_SETTING, SETTING, lake_of
from warehouse.safe_text import sql_text
from warehouse.waiting import say_nothing
from warehouse.writer import open_file, open_writer


def move(
    home: Home, *, to_lake: bool, notify: Callable[[str], None] = say_nothing
) -> dict[str, int]:
    """Copy every raw table to an empty warehouse, compare the copies, and return their rows.

    Where it comes from stays as it was. All of it is copied, or nothing.

    Args:
        home: The home, whose lake is set.
        to_lake: From the file to the lake, or else back.

    Raises:
        LakeError: No lake is set, there is nothing to move, the place it goes to holds data
            already, or a copy differs.
    """
    if lake_of(home) is None:
        raise LakeError(
            f"move: {SETTING} names no lake; set it and {DATA_SETTING} also to move a home back"
        )
    if to_lake and not home.build_db.exists():
        raise LakeError(f"move: {home.root} has no warehouse file; there is nothing to move")
    # Both have this Rostrum's tables then.
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
    connection.begin()
    try:
        for table in tables:
            if not connection.execute(f'select 1 from {source}.raw."{table}" limit 1').fetchone():
                continue
            connection.execute(
                f'insert into {target}.raw."{table}" by name from {source}.raw."{table}"'
            )
            there, here = (
                content(connection, f'{place}.raw."{table}"', f'{source}.raw."{table}"')
                for place in (source, target)
            )
            if there != here:
                raise LakeError(
                    f"move: raw.{table} differs after it was copied ({there[0]:,} and "
                    f"{here[0]:,} rows); nothing was moved"
                )
            rows[table] = here[0]
        connection.commit()
    except BaseException:
        # A commit that failed has rolled back already.
        with contextlib.suppress(duckdb.Error):
            connection.rollback()
        raise
    return rows
