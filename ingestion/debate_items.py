"""What judges may read of debates, one row a debate; who won them goes to a second file.

Only debates that no rule removed and in which both sides speak. A transcript ends with the last
debater: after that a host announces who won. Written in pieces, so that memory stays flat.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from ingestion.debates import DEBATE_HASH
from warehouse.files import fsync_file, fsync_folder, sha256_file

# A debate of a hundred thousand words is half a megabyte.
_ROW_GROUP = 100

_USED = """
with used as (
    select debates.*
    from raw.debates as debates
    left join raw.debate_filters as filters using (debate_id)
    where debates.dataset_id = $dataset and not coalesce(filters.is_removed, false)
),

sides as (
    select speeches.debate_id, max(speech_order) filter (where side is not null) as last_order
    from raw.speeches as speeches
    inner join used using (debate_id)
    where speech_order is not null
    group by speeches.debate_id
    having count(distinct side) = 2
)
"""
# Nothing that says who won: no votes, no names, no `extra`. The hash is that of all turns, as the
# marts compute it.
_SHOWN = """,

hashed as (
    select debate_id, __hash__ as item_hash
    from raw.speeches
    where debate_id in (select debate_id from sides)
    group by debate_id
),

shown as (
    select
        speeches.debate_id,
        list(struct_pack(
            speech_order := speeches.speech_order::bigint, round := speeches.round,
            side := speeches.side, speaker_role := coalesce(speeches.speaker_role, 'debater'),
            text := speeches.text, word_count := speeches.word_count::bigint
        ) order by speeches.speech_order) as turns,
        count(distinct speeches.round)::bigint as rounds_found,
        arg_max(speeches.side, speeches.speech_order) as end_side,
        coalesce(sum(speeches.word_count) filter (where speeches.side = 'pro'), 0)::bigint
            as words_pro,
        coalesce(sum(speeches.word_count) filter (where speeches.side = 'con'), 0)::bigint
            as words_con,
        coalesce(sum(speeches.word_count) filter (where speeches.side is null), 0)::bigint
            as words_other
    from raw.speeches as speeches
    inner join sides on speeches.debate_id = sides.debate_id
    where speeches.speech_order <= sides.last_order
    group by speeches.debate_id
)

select
    used.debate_id, hashed.item_hash, used.dataset_id, used.motion, used.context, used.category,
    used.format,
    coalesce(used.round_count::bigint, shown.rounds_found) as rounds, shown.end_side,
    shown.words_pro, shown.words_con, shown.words_other, shown.turns
from used
inner join hashed using (debate_id)
inner join shown using (debate_id)
order by used.debate_id
"""
_DEBATES = _USED + _SHOWN.replace("__hash__", DEBATE_HASH)
_WINNERS = """
select
    outcomes.debate_id, outcomes.criterion, outcomes.decided_by, outcomes.winner, outcomes.margin,
    outcomes.votes_pro, outcomes.votes_con, outcomes.votes_tie
from raw.debate_outcomes as outcomes
inner join sides using (debate_id)
where outcomes.is_primary
order by outcomes.debate_id, outcomes.criterion, outcomes.decided_by
"""
_REFERENCE = _USED + _WINNERS


@dataclass(frozen=True)
class DebateFiles:
    """The debate files of one data set.

    Attributes:
        debates: What judges may read.
        reference: What people decided, on the data set's primary criterion.
        rows: Debates.
    """

    debates: Path
    reference: Path
    rows: int


def write_debates(
    connection: duckdb.DuckDBPyConnection, folder: Path, dataset_id: str
) -> DebateFiles | None:
    """Write a data set's debate files, named by the bytes of the first; None without debates.

    Args:
        connection: A connection to the build database.
        folder: The data set's folder of items.
        dataset_id: The data set.
    """
    temporary = folder / f".debates.{os.getpid()}.part"
    try:
        rows = _write(connection, _DEBATES, dataset_id, temporary)
        if rows == 0:
            return None
        stem = sha256_file(temporary)
        files = DebateFiles(
            folder / f"{stem}.debates.parquet", folder / f"{stem}.debates.reference.parquet", rows
        )
        _put(temporary, files.debates)
        _write(connection, _REFERENCE, dataset_id, temporary)
        _put(temporary, files.reference)
        fsync_folder(folder)
    finally:
        temporary.unlink(missing_ok=True)
    return files


def _write(connection: duckdb.DuckDBPyConnection, sql: str, dataset_id: str, path: Path) -> int:
    rows = 0
    reader = connection.execute(sql, {"dataset": dataset_id}).to_arrow_reader(_ROW_GROUP)
    with pq.ParquetWriter(path, reader.schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch, row_group_size=_ROW_GROUP)
            rows += batch.num_rows
    return rows


def _put(temporary: Path, path: Path) -> None:
    """Give a file its name, unless these very bytes are there."""
    if path.is_file() and sha256_file(path) == sha256_file(temporary):
        return
    fsync_file(temporary)
    os.replace(temporary, path)
