{#
What each judge said of each instance, in every way it was asked: one value or label per instance, repeats
pooled. An instance whose answers all failed keeps its row, without either; so does one that a model of
a study left out, as the study's file is to have all of its answers.
#}
select
    'speeches' as task,
    dataset_id,
    dimension,
    null::varchar as experiment,
    judge_id,
    template,
    null::varchar as variant_id,
    item_id as instance_id,
    item_id as text_id,
    any_value(debate_id) as cluster_id,
    null::varchar as label,
    avg(value) as value
from {{ ref('int_answers_pooled') }}
group by dataset_id, dimension, judge_id, template, item_id
union all
select
    'debates' as task,
    settings.dataset_id,
    'winner' as dimension,
    settings.experiment,
    settings.judge_id,
    settings.template,
    settings.variant_id,
    debates.debate_id as instance_id,
    debates.debate_id as text_id,
    coalesce(debates.cluster_id, debates.debate_id) as cluster_id,
    {{ unit_winner() }} as label,
    null::double as value
from {{ ref('int_verdict_units') }} as units
inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
inner join {{ ref('int_debates_judged') }} as debates using (debate_key)
where not settings.is_human
union all
select
    'study' as task,
    instances.dataset_id,
    instances.dimension,
    null::varchar as experiment,
    judges.judge_id,
    'imported' as template,
    null::varchar as variant_id,
    instances.instance_id,
    instances.text_id,
    instances.text_id as cluster_id,
    said.label,
    said.value
from (
    select dataset_id, dimension, instance_id, any_value(text_id) as text_id
    from {{ loaded('annotations') }}
    group by dataset_id, dimension, instance_id
) as instances
inner join (
    select distinct dataset_id, dimension, annotator_id as judge_id
    from {{ loaded('annotations') }}
    where is_judge
) as judges using (dataset_id, dimension)
left join {{ loaded('annotations') }} as said
    on
        instances.dataset_id = said.dataset_id
        and instances.dimension = said.dimension
        and instances.instance_id = said.instance_id
        and judges.judge_id = said.annotator_id
        and said.is_judge
