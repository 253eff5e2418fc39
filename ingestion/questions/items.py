"""What inference may read of debatable questions: questions, perspectives, documents and answers.

Four files, so that who answers never opens the perspectives: each named by its own bytes, with the
data set's pointer to the current ones. A data set without rows of a kind has no such file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.errors import explained_when_full
from ingestion.raw_tables import say_nothing
from warehouse.files import remove_leftovers, sha256_bytes, write_atomically
from warehouse.home import Home
from warehouse.writer import WAIT_S, open_writer

POINTER = "current.json"
ANSWERS = "answers"
# A run reads the texts of one group at a time.
_ROW_GROUP = 1_000

_QUERIES: Mapping[str, str] = {
    "questions": """
        select question_id, item_hash, question, split, domain
        from raw.questions
        where dataset_id = $dataset
        order by question_id
    """,
    "partial_answers": """
        select partial_answer_id, question_id, position, point_of_view, explanation, text_hash
        from raw.partial_answers
        where dataset_id = $dataset
        order by question_id, position
    """,
    "documents": """
        select
            document_id, question_id, position, url, top_level_domain, title, text, word_count
        from raw.documents
        where dataset_id = $dataset
        order by question_id, position, document_id
    """,
    # One answer may be in several runs; of several replies the latest counts, as in the marts. An
    # answer to a question that has changed since is not one to the question that stands beside it.
    ANSWERS: """
        select
            answers.answer_id, answers.answer_hash, answers.question_id, questions.question,
            answers.response as answer, answers.word_count, answers.judge_id
        from raw.answers as answers
        inner join raw.questions as questions
            on answers.question_id = questions.question_id
            and answers.item_hash = questions.item_hash
        where
            answers.dataset_id = $dataset
            and answers.request_status = 'answered'
            and answers.response is not null
        qualify row_number() over (
            partition by answers.answer_id order by answers.answered_at desc, answers.run_id desc
        ) = 1
        order by answers.answer_id
    """,
}


def write_questions(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    dataset_id: str,
    kinds: Collection[str] = tuple(_QUERIES),
) -> dict[str, str]:
    """Write files of a data set's questions and return their names for the pointer, by kind.

    Args:
        connection: A connection to the build database.
        folder: The data set's folder of items.
        dataset_id: The data set.
        kinds: Which files to write.
    """
    names: dict[str, str] = {}
    for kind in kinds:
        rows = connection.execute(_QUERIES[kind], {"dataset": dataset_id}).to_arrow_table()
        if rows.num_rows:
            if kind == "questions":
                words = [len(str(question).split()) for question in rows["question"].to_pylist()]
                rows = rows.append_column("word_count", pa.array(words, pa.int32()))
            content = _parquet(rows)
            names[kind] = f"{kind}-{sha256_bytes(content)}.parquet"
            path = folder / names[kind]
            if not path.is_file() or path.read_bytes() != content:
                write_atomically(path, content)
    return names


def refresh_answers(
    home: Home,
    dataset_ids: Collection[str] | None = None,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> dict[str, Path]:
    """Write the current answers of data sets for evaluators, and return the files by data set.

    Loading journals and importing answers do it by themselves.

    Args:
        home: The home.
        dataset_ids: Only these data sets; all that have answers when not given.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        NoSpace: The disk is full. The pointers still name the files of before.
    """
    with open_writer(home, "write answers", wait_s=wait_s, notify=notify) as connection:
        return export_answers(connection, home, dataset_ids)


def export_answers(
    connection: duckdb.DuckDBPyConnection, home: Home, dataset_ids: Collection[str] | None = None
) -> dict[str, Path]:
    """Do what `refresh_answers` does, on a connection that is there.

    Args:
        connection: A connection to the build database.
        home: The home to write in.
        dataset_ids: Only these data sets; all that have answers when not given.
    """
    wanted = [
        dataset_id
        for (dataset_id,) in connection.execute(
            "select distinct dataset_id from raw.answers order by dataset_id"
        ).fetchall()
        if dataset_ids is None or dataset_id in dataset_ids
    ]
    written: dict[str, Path] = {}
    for dataset_id in wanted:
        folder = home.items / dataset_id
        pointer = folder / POINTER
        if not pointer.is_file():
            # Its items were never written, or somebody removed them: loading it writes them all.
            continue
        with explained_when_full(f"writing the answers of {dataset_id}", home.items):
            remove_leftovers(folder)
            known = json.loads(pointer.read_text(encoding="utf-8"))
            names = write_questions(connection, folder, dataset_id, [ANSWERS])
            now = {name: value for name, value in known.items() if name != ANSWERS} | names
            if now != known:
                write_atomically(pointer, pointer_text(now))
        if ANSWERS in names:
            written[dataset_id] = folder / names[ANSWERS]
    return written


def pointer_text(pointer: Mapping[str, str | int]) -> bytes:
    """Return a pointer as its file holds it."""
    return json.dumps(pointer, indent=2).encode() + b"\n"


def _parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", row_group_size=_ROW_GROUP)
    return bytes(sink.getvalue())
