"""Item files: what judges may read of a data set, and the pointer to its current files.

A file never changes and is named by its bytes, so that the same data give the same name on every
machine with the same Parquet writer. So queries cast whole numbers to the type that earlier files
have. Human values go to reference files, which only simulated
judges open.
"""

import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.debates import items as debates
from ingestion.errors import explained_when_full
from ingestion.oversight import items as oversight
from ingestion.parliamentary import items as parliamentary
from ingestion.questions import items as questions
from ingestion.speeches.written import TOPIC_HASH
from warehouse.files import fsync, remove_leftovers, sha256_file, write_atomically
from warehouse.home import Home
from warehouse.records.parliamentary import FORMAT

POINTER = "current.json"
# A run reads the items of one row group at a time.
_ROWS = 1_000
# Debates and stories may be fifty thousand characters each.
_LONG_ROWS = 16


@dataclass(frozen=True, kw_only=True)
class ItemKind:
    """One kind of item, and the files that a data set with such items has.

    Attributes:
        files: The query of each file, by its name in the pointer; the first has the items.
        row_groups: Rows per row group of each file.
        signs: Rows of raw tables, any of which shows that a data set may have such items; without
            signs the files are written even where they are empty.
        endings: File names after the hash of the first file; without them each file is named by
            its name in the pointer and its own hash.
        count: The pointer's entry with the number of items.
        make_items: Turns the rows of the first query into items.
        replies: The raw table of replies that become such items.
    """

    files: Mapping[str, str]
    row_groups: tuple[int, ...] = (_ROWS,)
    signs: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    count: str | None = None
    make_items: Callable[[pa.RecordBatchReader], pa.RecordBatchReader] | None = None
    replies: str | None = None


_SPEECHES = """
select
    speeches.item_id, speeches.item_hash, speeches.debate_id, debates.motion, speeches.source,
    speeches.text, speeches.word_count::integer as word_count, dimensions.dimension,
    dimensions.question, dimensions.scale_min, dimensions.scale_max
from raw.speeches as speeches
inner join raw.debates as debates on speeches.debate_id = debates.debate_id
inner join raw.dimensions as dimensions on speeches.dataset_id = dimensions.dataset_id
where speeches.dataset_id = $dataset
order by speeches.item_id, dimensions.dimension
"""
# Summed in a fixed order: floating point sums depend on it.
_MEAN_RATINGS = """
select
    item_id, dimension, avg(value order by annotator_id) as mean_value, count(*) as n_ratings
from raw.human_ratings
where dataset_id = $dataset
group by item_id, dimension
order by item_id, dimension
"""
# Topics for models that write speeches, with or without speeches of people.
_TOPICS = f"""
select debate_id, {TOPIC_HASH} as item_hash, motion
from raw.debates
where
    dataset_id = $dataset
    and trim(motion) != ''
    and exists (from raw.dimensions where dataset_id = $dataset)
    and exists (from raw.speeches where dataset_id = $dataset)
order by debate_id
"""
# In the order of the pointer's entries.
ITEM_KINDS = (
    ItemKind(
        files={"items": _SPEECHES, "reference": _MEAN_RATINGS},
        row_groups=(_ROWS, _ROWS),
        endings=(".parquet", ".reference.parquet"),
        count="rows",
        replies="written_speeches",
    ),
    ItemKind(files={"topics": _TOPICS}, signs=("dimensions where true",)),
    ItemKind(
        files={"debates": debates.TURNS, "debates_reference": debates.WINNERS},
        row_groups=(debates.ROW_GROUP, 2**20),
        signs=("debates where exists (from raw.speeches where side is not null)",),
        endings=(".debates.parquet", ".debates.reference.parquet"),
        count="debate_rows",
        make_items=debates.debates_of_turns,
    ),
    ItemKind(
        files={"questions": questions.QUESTIONS},
        signs=("questions where true",),
        make_items=questions.with_word_count,
    ),
    ItemKind(
        files={"partial_answers": questions.PARTIAL_ANSWERS},
        signs=("partial_answers where true",),
    ),
    ItemKind(files={"documents": questions.DOCUMENTS}, signs=("documents where true",)),
    ItemKind(
        files={"answers": questions.ANSWERS}, signs=("answers where true",), replies="answers"
    ),
    ItemKind(
        files={
            "parliamentary": parliamentary.DEBATES,
            "parliamentary_reference": parliamentary.RESULTS,
        },
        row_groups=(_LONG_ROWS, _LONG_ROWS),
        signs=(f"debates where format = '{FORMAT}'",),
    ),
    ItemKind(
        files={"reading": oversight.QUESTIONS, "reading_reference": oversight.RIGHT_ANSWERS},
        row_groups=(_LONG_ROWS, _LONG_ROWS),
        signs=("reading_questions where true",),
    ),
    ItemKind(
        files={"transcripts": oversight.TRANSCRIPTS},
        row_groups=(64,),
        signs=(
            "oversight_transcripts where true",
            "debates where starts_with(format, 'story-')",
        ),
        make_items=oversight.with_safe_texts,
        replies="oversight_transcripts",
    ),
)
# The numbers of the kinds whose signs are there. Looking for the items of all kinds takes longer
# than writing them; as one row of conditions, planning this query took 20 ms.
_THERE = " union all ".join(
    f"(select {number} from raw.{rows} and dataset_id = $dataset limit 1)"
    for number, kind in enumerate(ITEM_KINDS)
    for rows in kind.signs
)


def export_items(connection: duckdb.DuckDBPyConnection, home: Home, dataset_id: str) -> None:
    """Write a data set's item files and point to them. Files that are right are left alone.

    Raises:
        NoSpace: The disk is full. The pointer still names the files of before.
    """
    folder = home.items / dataset_id
    with explained_when_full(f"writing the items of {dataset_id}", home.items):
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
        pointer: dict[str, str | int] = {}
        there = connection.execute(_THERE, {"dataset": dataset_id}).fetchall()
        for number, kind in enumerate(ITEM_KINDS):
            if not kind.signs or (number,) in there:
                pointer |= _write(connection, folder, dataset_id, kind)
        _point(folder, pointer)


def renew_items(
    connection: duckdb.DuckDBPyConnection, home: Home, tables: Collection[str] | None = None
) -> None:
    """Write the items that replies become again, for every data set with such replies.

    Args:
        tables: Only these raw tables of replies; all when not given.

    Raises:
        NoSpace: The disk is full. The pointers still name the files of before.
    """
    for kind in ITEM_KINDS:
        if kind.replies is None or (tables is not None and kind.replies not in tables):
            continue
        datasets = connection.execute(
            f"select distinct dataset_id from raw.{kind.replies} order by dataset_id"
        ).fetchall()
        for (dataset_id,) in datasets:
            folder = home.items / dataset_id
            # Without a pointer no items were ever written: loading the data set writes them all.
            if not (folder / POINTER).is_file():
                continue
            (name,) = list(kind.files)[:1]
            with explained_when_full(f"writing the {name} of {dataset_id}", home.items):
                remove_leftovers(folder)
                pointer = json.loads((folder / POINTER).read_text(encoding="utf-8"))
                names = _write(connection, folder, dataset_id, kind)
                if name not in names:
                    pointer.pop(name, None)
                _point(folder, pointer | names)


def _point(folder: Path, pointer: Mapping[str, str | int]) -> None:
    content = json.dumps(pointer, indent=2).encode() + b"\n"
    path = folder / POINTER
    if not path.is_file() or path.read_bytes() != content:
        # After the files, so that whoever follows it finds them.
        fsync(folder)
        write_atomically(path, content)


def _write(
    connection: duckdb.DuckDBPyConnection, folder: Path, dataset_id: str, kind: ItemKind
) -> dict[str, str | int]:
    """Write the files of a kind, few rows in memory at a time; return the pointer's entries."""
    entries: dict[str, str | int] = {}
    stem, count = "", None
    for place, (name, query) in enumerate(kind.files.items()):
        temporary = folder / f".{name}.{os.getpid()}.part"
        group = kind.row_groups[place]
        try:
            rows = connection.execute(query, {"dataset": dataset_id}).to_arrow_reader(group)
            if kind.make_items and place == 0:
                rows = kind.make_items(rows)
            written = 0
            with pq.ParquetWriter(temporary, rows.schema, compression="zstd") as writer:
                for batch in rows:
                    writer.write_batch(batch, row_group_size=group)
                    written += batch.num_rows
                if written == 0 and kind.endings:
                    # As earlier versions wrote them: the bytes name the file.
                    writer.write_table(rows.schema.empty_table())
            count = written if count is None else count
            if count == 0 and kind.signs:
                return {}
            sha256 = sha256_file(temporary)
            stem = stem or sha256
            file_name = stem + kind.endings[place] if kind.endings else f"{name}-{sha256}.parquet"
            path = folder / file_name
            if not path.is_file() or sha256_file(path) != sha256:
                fsync(temporary)
                os.replace(temporary, path)
            entries[name] = file_name
        finally:
            temporary.unlink(missing_ok=True)
    return entries | ({kind.count: count or 0} if kind.count else {})
