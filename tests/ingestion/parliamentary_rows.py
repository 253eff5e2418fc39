"""Parliamentary debates that tests only need to be there."""

from __future__ import annotations

from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import open_writer


def add_debates(home: Home, *debate_ids: str) -> None:
    """Put debates without a word said in them into the build database.

    Args:
        home: The home.
        debate_ids: Each its data set's name, a colon, and a name of its own.
    """
    rows = [
        (identity, identity.partition(":")[0], "", "british_parliamentary", "a test", utc_now())
        for identity in debate_ids
    ]
    with open_writer(home, "add debates", wait_s=5) as connection:
        connection.executemany(
            "insert into raw.debates (debate_id, dataset_id, motion, format, _source_file, "
            "_loaded_at) values (?, ?, ?, ?, ?, ?)",
            rows,
        )
