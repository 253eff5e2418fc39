{#
What each judge got on each unit, by what it is ranked by. A place of a parliamentary debate counts where
its score was read, or with the whole ranking it belongs to; repeats are averaged first. What a judge did
with an honest and with a dishonest consultant counts half each, whichever it judged more of.
#}
with

placed as (
    select
        setting_id,
        task,
        debate_key,
        place_index,
        abs(predicted - official) as error,
        task = {{ speaker_scores() }} or bool_and(predicted is not null) over answer as is_read
    from {{ ref('int_adjudication_values') }}
    where official is not null
    window answer as (partition by setting_id, task, debate_key, answer_key)
),

of_debates as (
    select
        case placed.task when {{ speaker_scores() }} then 'mae' else 'mean_rank_difference' end
            as measure,
        settings.dataset_id,
        placed.task as dimension,
        settings.template,
        settings.variant_id,
        settings.judge_id,
        placed.debate_key || ' / ' || placed.place_index as unit_id,
        placed.debate_key::varchar as cluster_id,
        avg(placed.error) as value
    from placed
    inner join {{ ref('dim_adjudication_setting') }} as settings using (setting_id)
    where placed.is_read and placed.error is not null
    group by
        placed.setting_id, settings.dataset_id, placed.task, settings.template, settings.variant_id,
        settings.judge_id, placed.debate_key, placed.place_index
),

of_questions as (
    select
        metrics.metric as measure,
        metrics.dataset_id,
        answered.template,
        metrics.condition_id as variant_id,
        metrics.evaluator_id,
        metrics.evaluator_template,
        metrics.judge_id,
        metrics.question_id as unit_id,
        metrics.question_id as cluster_id,
        metrics.score as value
    from {{ ref('int_question_metrics') }} as metrics
    inner join {{ ref('dim_answer_setting') }} as answered using (setting_id)
    where
        metrics.metric in ({{ perspective_diversity() }}, {{ dispute_awareness() }})
        and metrics.score is not null
),

of_protocols as (
    select
        'protocol_accuracy' as measure,
        dataset_id,
        protocol as dimension,
        template,
        variant_id,
        judge_id,
        unit_id,
        cluster_id,
        case when protocol = 'consultancy' then is_honest end as stratum,
        right_score as value
    from {{ ref('int_oversight_units') }}
    where probe = 'none' and source = 'model' and right_score is not null
),

every_unit as (
    select
        {{ without_ranking_columns(
            ['experiment', 'evaluator_id', 'evaluator_template', 'min_shared_items']
        ) }},
        null::boolean as stratum,
        *
    from of_debates
    union all by name
    select * from of_questions
    union all by name
    select * from of_protocols
)

select
    {{ ranking_id() }} as ranking_id,
    judge_id,
    unit_id,
    cluster_id,
    stratum,
    measure in ({{ dispute_awareness() }}, 'protocol_accuracy') as is_share,
    value
from every_unit
