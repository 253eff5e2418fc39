"""What debaters may read: questions about stories, with the stories; right answers are elsewhere.

Only questions that no rule removed. Which answer is right goes to a second file, for simulated
debaters and judges alone, and only where the source says it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.oversight.transcript_rooms import JUDGEABLE_ROOMS
from warehouse.files import fsync_file, fsync_folder, sha256_file

# What a debate or a judgement is about, as SQL over a question and its story's `text`. The marts
# compute the same, to know stale answers.
READING_HASH = (
    "left(sha256(question || chr(10) || answer_0 || chr(10) || answer_1 || chr(10) || text), 16)"
)
TEXT_HASH = "left(sha256(text), 16)"

# A story may be fifty thousand characters, and a run reads one group at a time.
_BATCH_ROWS = _ROW_GROUP = 16
_SHOWN = """
select
    questions.question_id, questions.item_hash, questions.question, questions.answer_0,
    questions.answer_1, questions.story_id, stories.text as story
from raw.reading_questions as questions
inner join raw.stories as stories on questions.story_id = stories.story_id
where questions.dataset_id = $dataset and questions.removal_rule is null
order by questions.question_id
"""
# A room of people has its answers in an order of its own, and stands under its own name.
_REFERENCE = f"""
select question_id, right_answer
from raw.reading_questions
where dataset_id = $dataset and removal_rule is null and right_answer is not null
union all
select room_id, right_answer from ({JUDGEABLE_ROOMS})
order by question_id
"""
_FILES: Mapping[str, str] = {"reading": _SHOWN, "reading_reference": _REFERENCE}


def write_reading(
    connection: duckdb.DuckDBPyConnection, folder: Path, dataset_id: str
) -> dict[str, str]:
    """Write a data set's questions about stories and return the files' names for the pointer.

    A data set without such questions has neither file.

    Args:
        connection: A connection to the build database.
        folder: The data set's folder of items.
        dataset_id: The data set.
    """
    names: dict[str, str] = {}
    for kind, query in _FILES.items():
        temporary = folder / f".{kind}.{os.getpid()}.part"
        try:
            reader = connection.execute(query, {"dataset": dataset_id}).to_arrow_reader(_BATCH_ROWS)
            if _write(reader, temporary) == 0 and not names:
                return {}
            names[kind] = f"{kind}-{sha256_file(temporary)}.parquet"
            path = folder / names[kind]
            if not path.is_file() or sha256_file(path) != sha256_file(temporary):
                fsync_file(temporary)
                os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    fsync_folder(folder)
    return names


def _write(reader: pa.RecordBatchReader, path: Path) -> int:
    count = 0
    with pq.ParquetWriter(path, reader.schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch, row_group_size=_ROW_GROUP)
            count += batch.num_rows
    return count
