{#
A repeat of a run keeps an answer's id, and so does a run that shares the request: one row counts.
#}
with

answers as (select * from {{ ref('stg_raw__answers') }}),

questions as (
    select question_id, split, item_hash as hash_now from {{ ref('stg_raw__questions') }}
),

read as (
    select
        answers.*,
        questions.split,
        -- A step that only decides to answer has no query.
        case
            when json_valid(extra) and json_exists(extra, '$.searches')
                then list_aggregate(json_extract_string(extra, '$.searches[*].query'), 'count')
        end as retrieval_count,
        case
            when request_status != 'answered' then 'not_answered'
            when trim(coalesce(response, '')) = '' then {{ unparsed() }}
            else 'parsed'
        end as parse_status,
        case when parse_status = {{ unparsed() }} then 'empty_answer' end as parse_reason,
        questions.question_id is null or coalesce(hash_now != item_hash, false) as is_stale
    from answers
    left join questions using (question_id)
)

select
    *,
    {{ key_of(['judge_id'] + condition_columns()) }} as setting_id,
    {{ key_of(condition_columns()) }} as condition_id,
    {{ answer_status() }} as answer_status,
    row_number() over (partition by answer_id order by {{ latest_answer_first() }}) = 1 as is_current
from read
