"""Item files of debatable questions: questions, perspectives, documents and answers.

Four files, so that a judge that answers never opens the perspectives.
"""

from collections.abc import Iterator

import pyarrow as pa

QUESTIONS = """
select question_id, item_hash, question, split, domain
from raw.questions
where dataset_id = $dataset
order by question_id
"""
PARTIAL_ANSWERS = """
select
    partial_answer_id, question_id, position::integer as position, point_of_view, explanation,
    text_hash
from raw.partial_answers
where dataset_id = $dataset
order by question_id, position
"""
DOCUMENTS = """
select
    document_id, question_id, position::integer as position, url, top_level_domain, title, text,
    word_count::integer as word_count
from raw.documents
where dataset_id = $dataset
order by question_id, position, document_id
"""
# Of several replies the latest counts, as in the marts. Answers to a question's earlier text are
# left out.
ANSWERS = """
select
    answers.answer_id, answers.answer_hash, answers.question_id, questions.question,
    answers.response as answer, answers.word_count::integer as word_count, answers.judge_id
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
"""


def with_word_count(questions: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Add the number of words of each question."""
    schema = questions.schema.append(pa.field("word_count", pa.int32()))

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in questions:
            words = [len(str(question).split()) for question in batch["question"].to_pylist()]
            columns = [*batch.columns, pa.array(words, pa.int32())]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())
