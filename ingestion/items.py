"""What judges may read: one immutable file per state of a data set, and the pointer to the newest.

Human values go to a second file beside it, which only simulated judges open. The items file is
named by its own bytes, so the same data give the same name on every machine with the same Parquet
writer. The reference file carries the items file's name and is replaced when ratings change.
Debates have files of their own, which the same pointer names, and so have debatable questions,
parliamentary debates, questions about stories and debates about those, and the topics of speeches,
for models that write more of them.
"""

from collections.abc import Mapping, Sequence
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
        there = connection.execute(_THERE, {"dataset": dataset_id}).fetchall()
        for number, (write, signs) in enumerate(_WRITERS.items()):
            if not signs or (number,) in there:
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


# In the order of the pointer's entries; each with rows of the data set of which any says that it
# writes something, or with none where it always does: most data sets have items of one kind, and
# looking for those of all others takes longer than writing them.
_WRITERS: Mapping[Write, Sequence[str]] = {
    _write_speeches: (),
    write_debates: ("debates where exists (from raw.speeches where side is not null)",),
    write_questions: tuple(
        f"{name} where true" for name in ("questions", "partial_answers", "documents", "answers")
    ),
    partial(write_long, files=PARLIAMENTARY_FILES): (f"debates where format = '{FORMAT}'",),
    partial(write_long, files=READING_FILES): ("reading_questions where true",),
    write_transcripts: (
        "oversight_transcripts where true",
        "debates where starts_with(format, 'story-')",
    ),
}
# The numbers of those whose rows are there. As one row of conditions, planning it took 20 ms.
_THERE = " union all ".join(
    f"(select {number} from raw.{rows} and dataset_id = $dataset limit 1)"
    for number, signs in enumerate(_WRITERS.values())
    for rows in signs
)
