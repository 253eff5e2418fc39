{# Without the raw text, which may be long and is in dim_response. #}
with

verdicts as (select * exclude (response, extra) from {{ ref('stg_raw__verdicts') }}),

debates as (select debate_id as known_debate_id from {{ ref('stg_raw__debates') }}),

measured as (select debate_id, debate_hash from {{ ref('int_debates_measured') }}),

-- A verdict made elsewhere may not say which text it was given; it then holds for the text there is.
ranked as (
    select
        verdicts.*,
        {{ answer_status() }} as answer_status,
        known_debate_id is null or coalesce(debate_hash != item_hash, false) as is_stale,
        row_number() over (
            partition by
                experiment, judge_id, settings_hash, verdicts.debate_id, item_hash, variant_id,
                prompt_hash, sample
            order by {{ latest_answer_first() }}
        ) = 1 as is_current
    from verdicts
    left join debates on verdicts.debate_id = known_debate_id
    left join measured on verdicts.debate_id = measured.debate_id
)

select * from ranked
