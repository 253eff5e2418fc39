with

-- One answer counts per judge, wording, item and repeat, whichever experiment asked: an answer that
-- two experiments share must not count twice.
current_scores as (
    select *
    from {{ ref('int_scores_current') }}
    where is_current and not is_stale
    qualify
        row_number() over (
            partition by dataset_id, dimension, judge_id, template, item_id, sample
            order by {{ latest_answer_first() }}
        ) = 1
),

ensembles as (select * from {{ ref('stg_raw__ensembles') }}),

judge_answers as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        item_id,
        debate_id,
        request_status = 'answered' as is_answered,
        value,
        value_released,
        tokens_out,
        cost_usd
    from current_scores
),

-- Repeats are averaged before they are pooled. The released convention keeps a failure as -1.
member_scores as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        item_id,
        debate_id,
        avg(value) as value,
        avg(coalesce(value_released, -1)) as value_released
    from judge_answers
    group by all
),

ensemble_sizes as (select ensemble_id, count(*) as member_count from ensembles group by all),

-- An ensemble answers an item only when every member has a score for it.
ensemble_answers as (
    select
        member_scores.* exclude (judge_id, value, value_released),
        ensembles.ensemble_id as judge_id,
        case
            when count(member_scores.value) = any_value(ensemble_sizes.member_count)
                then round_even(avg(member_scores.value), 0)
        end as value,
        case
            when count(*) = any_value(ensemble_sizes.member_count)
                then round_even(avg(member_scores.value_released), 0)
        end as rounded_released
    from member_scores
    inner join ensembles using (judge_id)
    inner join ensemble_sizes using (ensemble_id)
    group by all
),

pooled as (
    select * from judge_answers
    union all by name
    select
        * exclude (rounded_released),
        true as is_answered,
        case when rounded_released > 0 then rounded_released end as value_released
    from ensemble_answers
)

select * from pooled
