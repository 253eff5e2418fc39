"""What judges may read: one immutable file per state of a data set, and the pointer to the newest.

Human values go to a second file beside it, which only simulated judges open. The items file is
named by its own bytes, so the same data give the same name on every machine with the same Parquet
writer. The reference file carries the items file's name and is replaced when ratings change.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.errors import explained_when_full
from warehouse.files import remove_leftovers, sha256_bytes, write_atomically
from warehouse.home import Home

POINTER = "current.json"
# A run reads the texts of one group at a time.
_ROW_GROUP = 1_000

_ITEMS = """
select
    speeches.item_id, speeches.item_hash, speeches.debate_id, debates.motion, speeches.source,
    speeches.text, speeches.word_count, dimensions.dimension, dimensions.question,
    dimensions.scale_min, dimensions.scale_max
from raw.speeches as speeches
inner join raw.debates as debates on speeches.debate_id = debates.debate_id
inner join raw.dimensions as dimensions on speeches.dataset_id = dimensions.dataset_id
where speeches.dataset_id = ?
order by speeches.item_id, dimensions.dimension
"""
# Readers hold a group in memory: small enough for a run over very many texts.
_ROW_GROUP = 1000
# Summed in a fixed order: floating point sums depend on it.
_REFERENCE = """
select
    item_id, dimension, avg(value order by annotator_id) as mean_value, count(*) as n_ratings
from raw.human_ratings
where dataset_id = ?
group by item_id, dimension
order by item_id, dimension
"""


@dataclass(frozen=True)
class ItemFiles:
    """The item files of one data set.

    Attributes:
        items: What judges may read.
        reference: Human means, for simulated judges only.
        rows: Rows of the items file, one per item and dimension.
    """

    items: Path
    reference: Path
    rows: int


def export_items(connection: duckdb.DuckDBPyConnection, home: Home, dataset_id: str) -> ItemFiles:
    """Write a data set's item files and point to them. Files that are right are left alone.

    Args:
        connection: A connection to the build database.
        home: The home to write in.
        dataset_id: The data set.

    Raises:
        NoSpace: The disk is full. The pointer still names the files of before.
    """
    items = connection.execute(_ITEMS, [dataset_id]).to_arrow_table()
    reference = connection.execute(_REFERENCE, [dataset_id]).to_arrow_table()
    content = _parquet(items)
    stem = sha256_bytes(content)
    folder = home.items / dataset_id
    files = ItemFiles(
        folder / f"{stem}.parquet", folder / f"{stem}.reference.parquet", items.num_rows
    )
    pointer = {
        "items": files.items.name,
        "reference": files.reference.name,
        "rows": files.rows,
    }
    with explained_when_full(f"writing the items of {dataset_id}", home.items):
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
        _write_if_changed(files.items, content)
        _write_if_changed(files.reference, _parquet(reference))
        # Last: whoever follows it finds both files.
        _write_if_changed(folder / POINTER, json.dumps(pointer, indent=2).encode() + b"\n")
    return files


def _parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", row_group_size=_ROW_GROUP)
    return bytes(sink.getvalue())


def _write_if_changed(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content)
