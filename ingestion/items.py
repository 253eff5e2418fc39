"""What judges may read: one immutable file per state of a data set, and the pointer to the newest.

Human values go to a second file beside it, which only simulated judges open. The items file is
named by its own bytes, so the same data give the same name on every machine with the same Parquet
writer. The reference file carries the items file's name and is replaced when ratings change.
Debates have files of their own, which the same pointer names, and so have debatable questions,
parliamentary debates, questions about stories and debates about those, and the topics of speeches,
for models that write more of them.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import duckdb

from ingestion.debates.items import write_debates
from ingestion.errors import explained_when_full
from ingestion.item_files import (
    POINTER,
    Write,
    parquet,
    pointer_text,
    renew,
    write_if_changed,
    write_long,
    write_named,
)
from ingestion.oversight.items import READING_FILES
from ingestion.oversight.transcript_items import write_transcripts
from ingestion.parliamentary.items import PARLIAMENTARY_FILES
from ingestion.questions.items import write_questions
from ingestion.speeches.written import TOPIC_HASH
from warehouse.files import remove_leftovers, sha256_bytes
from warehouse.home import Home
from warehouse.records.parliamentary import FORMAT

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
# Whether a person has spoken on it or not.
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
# Summed in a fixed order: floating point sums depend on it.
_REFERENCE = """
select
    item_id, dimension, avg(value order by annotator_id) as mean_value, count(*) as n_ratings
from raw.human_ratings
where dataset_id = ?
group by item_id, dimension
order by item_id, dimension
"""


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
        has_any = connection.execute(_HAS_ANY, {"dataset": dataset_id}).fetchone() or ()
        for write, is_needed in zip(_WRITERS, has_any, strict=True):
            if is_needed:
                pointer |= write(connection, folder, dataset_id)
        # Last: whoever follows it finds every file.
        write_if_changed(folder / POINTER, pointer_text(pointer))


def export_written(connection: duckdb.DuckDBPyConnection, home: Home) -> None:
    """Write the items again of every data set for which models have written speeches.

    Raises:
        NoSpace: The disk is full. The pointers still name the files of before.
    """
    renew(connection, home, "items", "written_speeches", _write_speeches)


def _write_speeches(
    connection: duckdb.DuckDBPyConnection, folder: Path, dataset_id: str
) -> dict[str, str | int]:
    """Write the files of a data set's speeches, and return what the pointer says of them."""
    items = connection.execute(_ITEMS, [dataset_id]).to_arrow_table()
    content = parquet(items)
    stem = sha256_bytes(content)
    pointer: dict[str, str | int] = {
        "items": f"{stem}.parquet",
        "reference": f"{stem}.reference.parquet",
        "rows": items.num_rows,
    }
    write_if_changed(folder / f"{stem}.parquet", content)
    reference = connection.execute(_REFERENCE, [dataset_id]).to_arrow_table()
    write_if_changed(folder / f"{stem}.reference.parquet", parquet(reference))
    topics = connection.execute(_TOPICS, {"dataset": dataset_id}).to_arrow_table()
    if topics.num_rows:
        pointer["topics"] = write_named(folder, "topics", topics)
    return pointer


def _rows(*tables: str) -> str:
    """Return SQL that says whether one of these raw tables has rows of the data set."""
    return " or ".join(f"exists (from raw.{name} where dataset_id = $dataset)" for name in tables)


# In the order of the pointer's entries; each with what there is where it writes anything: most data
# sets have items of one kind, and looking for those of all others takes longer than writing them.
_WRITERS: Mapping[Write, str] = {
    _write_speeches: "true",
    write_debates: f"({_rows('debates')}) and exists (from raw.speeches where side is not null)",
    write_questions: _rows("questions", "partial_answers", "documents", "answers"),
    partial(write_long, files=PARLIAMENTARY_FILES): "exists (from raw.debates "
    f"where dataset_id = $dataset and format = '{FORMAT}')",
    partial(write_long, files=READING_FILES): _rows("reading_questions"),
    write_transcripts: f"{_rows('oversight_transcripts')} or exists (from raw.debates "
    "where dataset_id = $dataset and starts_with(format, 'story-'))",
}
_HAS_ANY = f"select {', '.join(f'({each})' for each in _WRITERS.values())}"
