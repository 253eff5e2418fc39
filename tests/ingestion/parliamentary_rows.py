"""Parliamentary debates that tests only need to be there."""

from warehouse.home import Home
from warehouse.records.bp import ROLES
from warehouse.schema import utc_now
from warehouse.writer import open_writer


def add_debates(home: Home, *debate_ids: str, info_slide: str | None = None) -> None:
    """Put debates of eight one-word speeches into the build database, without results.

    A speech's hash is `hash-` and its role.

    Args:
        home: The home.
        debate_ids: Each its data set's name, a colon, and a name of its own.
        info_slide: What was told before each of them.
    """
    now = utc_now()
    with open_writer(home, "add debates", wait_s=5) as connection:
        for identity in debate_ids:
            dataset = identity.partition(":")[0]
            connection.execute(
                "insert into raw.debates (debate_id, dataset_id, motion, format, context, "
                "_source_file, _loaded_at) values (?, ?, '', 'british_parliamentary', ?, '', ?)",
                [identity, dataset, info_slide, now],
            )
            connection.executemany(
                "insert into raw.speeches (item_id, dataset_id, debate_id, source, text, "
                "word_count, item_hash, role, speech_order, _source_file, _loaded_at) "
                "values (?, ?, ?, 'made up', 'word', 1, ?, ?, ?, '', ?)",
                [
                    (f"{identity}/{role}", dataset, identity, f"hash-{role}", role, order, now)
                    for order, role in enumerate(ROLES, start=1)
                ],
            )
