{#
What each judge's way of asking says of each item of a frame, as a number, with what the frame says of the
item; no row where it says nothing.
#}
with

said as (
    select
        task, dataset_id, dimension, experiment, judge_id, template, variant_id, instance_id,
        coalesce(value, {{ con_share_of('label') }}) as answer
    from {{ ref('int_annotations_judges') }}
    union all by name
    select
        'questions' as task, dataset_id, metric as dimension, evaluator_id as judge_id,
        evaluator_template as template, answer_id as instance_id, score as answer
    from {{ ref('int_dispute_scores') }}
    where metric = {{ dispute_awareness() }}
    union all by name
    select
        'debates' as task, dataset_id, 'winner' as dimension, judge as judge_id,
        'imported' as template, debate_id as instance_id, {{ con_share_of('winner') }} as answer
    from {{ loaded('logged_verdicts') }}
    where not {{ is_person('judge') }}
),

answers as (
    select
        *,
        hash(experiment, judge_id, template, variant_id) as setting_key,
        hash(task, dataset_id, dimension, instance_id) as item_key
    from said
    where answer is not null
)

select
    frames.frame_key,
    answers.setting_key,
    answers.experiment,
    answers.judge_id,
    answers.template,
    answers.variant_id,
    frames.stratum,
    frames.cluster_key,
    frames.label,
    case when frames.is_turned then 1 - answers.answer else answers.answer end as answer
from answers
inner join {{ ref('int_rate_frames') }} as frames using (item_key)
