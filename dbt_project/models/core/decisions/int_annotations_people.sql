{#
What each person said of each instance that a judge can be compared on: scores of speeches, winners of
debates, and whatever studies without texts label or score. An instance is one thing that one question
is asked about; instances of one text belong together, and texts of one cluster (a motion, a topic).
#}
select
    'speeches' as task,
    ratings.dataset_id,
    ratings.dimension,
    ratings.item_id as instance_id,
    ratings.item_id as text_id,
    speeches.debate_id as cluster_id,
    ratings.annotator_id,
    null::varchar as label,
    ratings.value
from {{ ref('int_speech_ratings') }} as ratings
inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
union all
select
    'debates' as task,
    settings.dataset_id,
    'winner' as dimension,
    debates.debate_id as instance_id,
    debates.debate_id as text_id,
    coalesce(debates.cluster_id, debates.debate_id) as cluster_id,
    settings.judge_id as annotator_id,
    {{ unit_winner() }} as label,
    null::double as value
from {{ ref('int_verdict_units') }} as units
inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
inner join {{ ref('int_debates_judged') }} as debates using (debate_key)
where settings.is_human and units.parsed_count > 0
union all
select
    'study' as task,
    dataset_id,
    dimension,
    instance_id,
    text_id,
    text_id as cluster_id,
    annotator_id,
    label,
    value
from {{ loaded('annotations') }}
where not is_judge
