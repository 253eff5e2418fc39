with

scores as (select * from {{ ref('stg_raw__scores') }} where item_kind != {{ answer() }}),

speeches as (select item_id, debate_id, item_hash as hash_now from {{ ref('stg_raw__speeches') }}),

ranked as (
    select
        scores.*,
        {{ answer_status() }} as answer_status,
        debate_id,
        coalesce(hash_now != item_hash, true) as is_stale,
        row_number() over (
            partition by
                experiment, judge_id, settings_hash, item_id, item_hash, template, prompt_hash,
                dimension, sample
            order by {{ latest_answer_first() }}
        ) = 1 as is_current
    from scores
    left join speeches using (item_id)
)

select * from ranked
