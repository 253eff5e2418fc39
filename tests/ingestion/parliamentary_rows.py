"""Parliamentary debates that tests only need to be there."""

from warehouse.home import Home
from warehouse.raw import append_rows
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
            append_rows(
                connection,
                "debates",
                "select ? as debate_id, ? as dataset_id, '' as motion, ? as context, "
                "'british_parliamentary' as format, '' as _source_file, ? as _loaded_at",
                [identity, dataset, info_slide, now],
            )
            append_rows(
                connection,
                "speeches",
                "select $debate || '/' || role as item_id, $dataset as dataset_id, "
                "$debate as debate_id, 'made up' as source, 'word' as text, 1 as word_count, "
                "'hash-' || role as item_hash, role, list_position($roles, role) as speech_order, "
                "'' as _source_file, $now as _loaded_at from (select unnest($roles) as role)",
                {"debate": identity, "dataset": dataset, "roles": list(ROLES), "now": now},
            )
