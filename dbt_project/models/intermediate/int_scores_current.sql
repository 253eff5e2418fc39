with

scores as (select * from {{ ref('stg_raw__scores') }}),

speeches as (select * from {{ ref('stg_raw__speeches') }}),

-- The latest answered response counts. Of two answers of the same time the one loaded later does, so
-- that a corrected file counts; the run id breaks what ties are left, the same in every rebuild.
ranked as (
    select
        scores.*,
        speeches.debate_id,
        coalesce(speeches.item_hash != scores.item_hash, true) as is_stale,
        row_number() over (
            partition by
                scores.experiment, scores.judge_id, scores.settings_hash, scores.item_id,
                scores.item_hash, scores.template, scores.prompt_hash, scores.dimension,
                scores.sample
            order by
                case when scores.request_status = 'answered' then 0 else 1 end,
                scores.answered_at desc nulls last,
                scores.loaded_at desc,
                scores.run_id desc
        ) = 1 as is_current
    from scores
    left join speeches using (item_id)
)

select * from ranked
