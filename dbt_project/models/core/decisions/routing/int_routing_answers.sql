{#
Each answer of a judge with what annotators said of the same: scores as they are and annotators' mean; of
a label the judge's probability of con, and 1 where annotators chose con, 0 where pro. A judge without
probabilities has the share of its repeats. Debates that annotators call a tie have neither label.
`label_value` is the label that stands, 1 for con: the majority of the verdicts, or the more probable one.
`people_mean` is the baseline, which needs no judge: annotators' mean over what the judge answered.

Topics are dealt into three folds in a seeded order of all topics that people judged, so that every judge
has the same; topics that nobody judged are dealt likewise. One answer a topic is drawn, by hash.
#}
with

series as (select * from {{ ref('int_routing_series') }}),

people as (
    select
        'speeches' as task,
        dataset_id,
        dimension,
        instance_id,
        cluster_id,
        avg(value) as people_value
    from {{ ref('int_annotations_people') }}
    where task = 'speeches'
    group by dataset_id, dimension, instance_id, cluster_id
    union all
    select
        'debates', dataset_id, 'winner', debate_id, coalesce(cluster_id, debate_id),
        (human_winner = 'con')::integer::double
    from {{ ref('int_debates_judged') }}
    where human_winner in ('pro', 'con')
),

scores as (
    select
        series.series_id,
        answers.task,
        answers.dataset_id,
        answers.dimension,
        answers.instance_id,
        answers.cluster_id,
        speeches.source,
        answers.value as judge_value,
        null::double as label_value
    from {{ ref('int_annotations_judges') }} as answers
    inner join series using (task, dataset_id, dimension, judge_id, template)
    left join {{ ref('stg_raw__speeches') }} as speeches on answers.instance_id = speeches.item_id
    where answers.task = 'speeches'
),

labels as (
    select
        series.series_id,
        'debates' as task,
        debates.dataset_id,
        'winner' as dimension,
        debates.debate_id as instance_id,
        coalesce(debates.cluster_id, debates.debate_id) as cluster_id,
        null::varchar as source,
        case
            when series.answer_form != 'own' or units.con_share is not null
                then coalesce(1 - units.p_pro, units.con_share)
        end as judge_value,
        case
            when series.answer_form = 'own' then {{ decided_con('units.con_share') }}
            else {{ decided_con('coalesce(1 - units.p_pro, units.con_share)') }}
        end as label_value
    from {{ ref('int_verdict_units') }} as units
    inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
    inner join {{ ref('int_debates_judged') }} as debates using (debate_key)
    inner join series
        on
            series.task = 'debates'
            and settings.dataset_id = series.dataset_id
            and settings.experiment = series.experiment
            and settings.judge_id = series.judge_id
            and settings.variant_id = series.variant_id
),

answers as (
    select * from scores
    union all
    select * from labels
),

topics as (
    select task, dataset_id, dimension, cluster_id, max(is_judged) as is_judged
    from (
        select task, dataset_id, dimension, cluster_id, true as is_judged from people
        union all
        select distinct task, dataset_id, dimension, cluster_id, false from answers
    )
    group by task, dataset_id, dimension, cluster_id
),

folds as (
    select
        *,
        row_number() over (
            partition by task, dataset_id, dimension, is_judged
            order by md5('{{ var("bootstrap_seed") }} ' || cluster_id), cluster_id
        ) % 3 as fold
    from topics
)

select
    answers.series_id,
    answers.instance_id,
    answers.cluster_id,
    answers.source,
    answers.judge_value,
    answers.label_value,
    people.people_value,
    avg(people.people_value) filter (answers.judge_value is not null) over (
        partition by answers.series_id
    ) as people_mean,
    folds.fold,
    answers.judge_value is not null and people.people_value is not null
    and row_number() over (
        partition by
            answers.series_id, answers.cluster_id,
            answers.judge_value is null or people.people_value is null
        order by md5('{{ var("bootstrap_seed") }} ' || answers.instance_id), answers.instance_id
    ) = 1 as is_drawn
from answers
inner join folds using (task, dataset_id, dimension, cluster_id)
left join people using (task, dataset_id, dimension, instance_id)
