select
    answers.answer_id,
    answers.response_id,
    answers.run_id,
    answers.experiment,
    answers.dataset_id,
    answers.question_id,
    answers.judge_id,
    answers.setting_id,
    answers.retrieval,
    answers.is_trusted_only,
    answers.retriever,
    documents.* exclude (response_id, question_id),
    documents.question_id as document_question_id,
    coalesce(documents.question_id = answers.question_id, false) as is_own_question,
    answers.is_stale
from {{ ref('stg_raw__answer_documents') }} as documents
inner join {{ ref('int_answers_current') }} as answers using (response_id)
where answers.is_current
