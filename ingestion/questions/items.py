"""Item files of debatable questions: questions, perspectives, documents and answers.

Four files, so that a judge that answers never opens the perspectives. Each is named by its bytes.
A data set without rows of a kind has no such file.
"""

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa

from ingestion.item_files import renew, write_named
from warehouse.home import Home

ANSWERS = "answers"

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
    # Of several replies the latest counts, as in the marts. Answers to a question's earlier text
    # are left out.
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
    """Write the item files of some kinds and return their names for the pointer, by kind."""
    names: dict[str, str] = {}
    for kind in kinds:
        rows = connection.execute(_QUERIES[kind], {"dataset": dataset_id}).to_arrow_table()
        if rows.num_rows:
            if kind == "questions":
                words = [len(str(question).split()) for question in rows["question"].to_pylist()]
                rows = rows.append_column("word_count", pa.array(words, pa.int32()))
            names[kind] = write_named(folder, kind, rows)
    return names


def export_answers(connection: duckdb.DuckDBPyConnection, home: Home) -> None:
    """Write the current answers of all data sets for evaluators.

    Raises:
        NoSpace: The disk is full. The pointers still name the earlier files.
    """
    renew(connection, home, ANSWERS, "answers", partial(write_questions, kinds=[ANSWERS]))
