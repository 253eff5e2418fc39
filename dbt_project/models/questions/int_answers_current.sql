{#
A repeat of a run keeps an answer's id, and so does a run that shares the request: one row counts.
#}
with

answers as (
    select
        * exclude (retriever, documents_status),
        documents_status as recorded_status,
        -- Answers of runs from before retrievers could be chosen had the data set's documents.
        case
            when retrieval = 'none' then null
            when retriever is null and source_file like 'journal/%' then 'data_set'
            else retriever
        end as retriever
    from {{ ref('stg_raw__answers') }}
),

documents as (select dataset_id, question_id from {{ loaded('documents') }}),

documented as (
    select dataset_id, list(distinct question_id) as question_ids
    from documents
    group by dataset_id
),

questions as (
    select question_id, split, item_hash as hash_now from {{ loaded('questions') }}
),

read as (
    select
        answers.* exclude (recorded_status),
        questions.split,
        -- Before, a question without documents was shown those of all others.
        case
            when answers.retrieval = 'none' then null
            when answers.recorded_status is not null then answers.recorded_status
            when
                answers.retriever = 'data_set'
                and not list_contains(documented.question_ids, answers.question_id)
                then 'other_questions'
            else 'not_recorded'
        end as documents_status,
        -- A step that only decides to answer has no query.
        case
            when json_valid(extra) and json_exists(extra, '$.searches')
                then list_aggregate(json_extract_string(extra, '$.searches[*].query'), 'count')
        end as retrieval_count,
        case
            when request_status != 'answered' then 'not_answered'
            when {{ words_in("coalesce(response, '')") }} = 0 then {{ unparsed() }}
            else 'parsed'
        end as parse_status,
        case when parse_status = {{ unparsed() }} then 'empty_answer' end as parse_reason,
        questions.question_id is null
        or coalesce(hash_now != item_hash, false)
        or coalesce(documents_status = 'other_questions', false) as is_stale
    from answers
    left join questions using (question_id)
    left join documented using (dataset_id)
)

select
    read.*,
    {{ key_of(['judge_id'] + condition_columns()) }} as setting_id,
    {{ key_of(condition_columns()) }} as condition_id,
    {{ answer_status() }} as answer_status,
    superseded.response_id is null as is_current
from read
left join {{ ref('int_responses_superseded') }} as superseded using (response_id)
