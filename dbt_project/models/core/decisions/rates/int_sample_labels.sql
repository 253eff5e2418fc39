{#
What people say of the items of random samples. For a sample of the data set's own people those are
theirs; else what readers of the dashboard judged and what filled files say. Of a debate the value is
Con's share of the winner: 1, 0, or one half for a tie.
#}
with

samples as (select * from {{ loaded('samples') }}),

drawn as (
    select samples.*, items.item_id, items.position
    from {{ loaded('sampled_items') }} as items
    inner join samples using (sample_id)
    where items.position <= samples.size
),

said as (
    select
        'people' as labels,
        null::varchar as sample_id,
        task,
        dimension,
        instance_id as item_id,
        annotator_id,
        value
    from {{ ref('int_annotations_people') }}
    where task = 'speeches'
    union all
    -- Who won by the data set's own rule, as everywhere; not what a single person says.
    select
        'people' as labels,
        null as sample_id,
        'debates' as task,
        'winner' as dimension,
        debate_id as item_id,
        {{ human() }} as annotator_id,
        {{ con_share_of('human_winner') }} as value
    from {{ ref('int_debates_judged') }}
    where human_winner is not null
    union all
    select
        'people' as labels,
        null as sample_id,
        'debates' as task,
        'winner' as dimension,
        debate_id as item_id,
        judge as annotator_id,
        {{ con_share_of('winner') }} as value
    from {{ loaded('logged_verdicts') }}
    where {{ is_person('judge') }}
    union all
    select
        'people' as labels, null as sample_id, 'questions' as task, dimension, item_id,
        annotator_id, value
    from {{ ref('stg_raw__human_ratings') }}
    where dimension = {{ dispute_awareness() }} and is_reader is not true
    union all
    select
        'campaign' as labels,
        null as sample_id,
        case task when 'speech' then 'speeches' else 'debates' end as task,
        coalesce(dimension, 'winner') as dimension,
        item_id,
        judge_id as annotator_id,
        case when task = 'speech' then value else {{ decided_con('(1 - value)') }} end as value
    from {{ ref('fct_reader_judgement') }}
    where task in ('speech', 'winner') and not is_stale
    union all
    select
        'campaign' as labels,
        labels.sample_id,
        samples.task,
        samples.dimension,
        labels.item_id,
        labels.annotator_id,
        labels.value
    from {{ loaded('sample_labels') }} as labels
    inner join samples using (sample_id)
)

select
    drawn.sample_id,
    drawn.item_id,
    drawn.position,
    said.annotator_id,
    -- A person who judged the item on the page and in a file has judged it once.
    avg(said.value) as value
from drawn
inner join said
    on
        drawn.item_id = said.item_id
        and drawn.task = said.task
        and drawn.dimension = said.dimension
        and drawn.labels = said.labels
        and drawn.sample_id = coalesce(said.sample_id, drawn.sample_id)
        -- The page gives its own instructions; labels under others are on the sample's sheet.
        and (said.labels = 'people' or said.sample_id is not null or drawn.policy is null)
group by all
