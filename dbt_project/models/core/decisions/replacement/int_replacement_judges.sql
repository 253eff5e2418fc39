{#
What each judge said of each instance of `int_replacement_people`, in every way it was asked, repeats pooled;
without value and label where all of its answers failed.
#}
with

settings as (
    select setting_id, judge_id, dataset_id, template, variant_id
    from {{ ref('dim_adjudication_setting') }}
),

adjudications as (select answer_key, debate_id from {{ ref('int_adjudications_current') }})

select
    task,
    dataset_id,
    dimension,
    experiment,
    judge_id,
    template,
    variant_id,
    instance_id,
    label,
    value
from {{ ref('int_annotations_judges') }}
union all
select
    'parliamentary' as task,
    settings.dataset_id,
    said.task as dimension,
    null as experiment,
    settings.judge_id,
    settings.template,
    settings.variant_id,
    adjudications.debate_id || '#' || said.place as instance_id,
    null as label,
    avg(said.predicted) as value
from {{ ref('int_adjudication_values') }} as said
inner join adjudications using (answer_key)
inner join settings using (setting_id)
where said.task in ({{ house_ranks() }}, {{ speaker_scores() }})
group by all
union all
select
    'questions', dataset_id, metric, null, evaluator_id, evaluator_template, null, answer_id,
    {{ aware_label('score') }}, null
from {{ ref('int_dispute_scores') }}
where metric = {{ dispute_awareness() }} and n_asked > 0
union all
select
    'oversight',
    dataset_id,
    protocol,
    null,
    judge_id,
    template,
    {{ key_of(['asked_for', 'answer_order']) }} as variant_id,
    coalesce(transcript_id, question_id),
    {{ leaning_label('avg(lean)') }},
    null
from {{ ref('int_oversight_judgements') }}
where
    not is_human and is_final and is_main_order and tournament is null and probe = 'none'
group by
    dataset_id, protocol, judge_id, template, asked_for, answer_order,
    coalesce(transcript_id, question_id)
