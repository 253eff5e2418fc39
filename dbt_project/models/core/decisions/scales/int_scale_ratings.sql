{#
Every score that people and judges gave to the same things, with who wrote what is scored. Ensembles say
nothing that their members do not. Where people scored, only what a person scored is kept: of the rest
nothing tells how good it is and how severe its judges are. Sources with too few clusters for an interval,
and those beyond the {{ var('max_scale_sources') }} largest, are one.
#}
with

speeches as (select item_id, source from {{ ref('stg_raw__speeches') }}),

speakers as (select dataset_id, source, speaker_kind from {{ ref('int_speakers') }}),

scores as (
    select
        task, dataset_id, dimension, instance_id, text_id, cluster_id, value, false as is_judge,
        annotator_id as rater_id, null as experiment, null as template, null as variant_id
    from {{ ref('int_annotations_people') }}
    where value is not null
    union all by name
    select
        task, dataset_id, dimension, instance_id, text_id, cluster_id, value, true as is_judge,
        judge_id as rater_id, experiment, template, variant_id
    from {{ ref('int_annotations_judges') }}
    where
        value is not null
        and judge_id not in (select ensemble_id from {{ ref('stg_raw__ensembles') }})
),

kept as (
    select *
    from scores
    qualify
        bool_or(not is_judge) over (partition by task, dataset_id, dimension, instance_id)
        or not bool_or(not is_judge) over (partition by task, dataset_id, dimension)
),

written as (
    select
        kept.*,
        coalesce(speeches.source, 'not stated') as written_by,
        case speakers.speaker_kind
            when 'human' then 'human' when 'model' then 'machine' when 'pipeline' then 'machine'
        end as written_origin
    from kept
    left join speeches on kept.text_id = speeches.item_id
    left join speakers
        on kept.dataset_id = speakers.dataset_id and speeches.source = speakers.source
),

sizes as (
    select
        task,
        dataset_id,
        dimension,
        written_by,
        count(distinct cluster_id) >= {{ var('min_units_for_interval') }}
        and row_number() over (
            partition by task, dataset_id, dimension
            order by count(distinct instance_id) desc, written_by
        ) <= {{ var('max_scale_sources') }} as is_own
    from written
    group by task, dataset_id, dimension, written_by
)

select
    {{ key_of(['task', 'dataset_id', 'dimension']) }} as scale_id,
    task,
    dataset_id,
    dimension,
    {{ key_of(['is_judge', 'rater_id', 'experiment', 'template', 'variant_id']) }} as rater_key,
    rater_id,
    is_judge,
    experiment,
    template,
    variant_id,
    instance_id,
    cluster_id,
    case when is_own then written_by else 'other sources' end as source,
    case when is_own then written_origin end as origin,
    value,
    {{ var('min_units_for_interval') }}::bigint as min_units
from written
inner join sizes using (task, dataset_id, dimension, written_by)
