{#
What readers of the dashboard judged, beside what the data set's own people say of the same thing. A
debate about a story has its truth elsewhere, in fct_oversight_judgement. What a model wrote never
changes, but the question it is about may.
#}
with

verdicts as (
    select
        given.*,
        given.extra ->> '$.task' as task,
        given.extra ->> '$.item_hash' as read_hash
    from {{ loaded('human_verdicts') }} as given
    where given.mode = 'dashboard'
),

step_counts as (
    select debate_id, judge_id, count(*) as step_count from verdicts group by debate_id, judge_id
),

debates as (
    select
        debate_id,
        coalesce(cluster_id, debate_id) as cluster_id
    from {{ ref('stg_raw__debates') }}
),

read_debates as (select debate_id, debate_hash from {{ ref('int_debates_measured') }}),

transcripts as (
    select
        transcript_id,
        transcript_hash,
        is_stale as is_question_stale
    from {{ ref('int_oversight_transcripts') }}
    where source = 'model'
),

winners as (select debate_id, human_winner from {{ ref('int_debates_judged') }}),

of_debates as (
    select
        verdicts.task,
        verdicts.dataset_id,
        verdicts.judge_id,
        verdicts.debate_id as item_id,
        coalesce(debates.cluster_id, verdicts.debate_id) as cluster_id,
        step_counts.step_count,
        verdicts.p_pro as value,
        case
            when verdicts.task = 'winner'
                then case winners.human_winner when 'pro' then 1.0 when 'con' then 0.0 end
        end as people_value,
        coalesce(transcripts.is_question_stale, false)
        or coalesce(
            coalesce(transcripts.transcript_hash, read_debates.debate_hash) != verdicts.read_hash,
            false
        ) as is_stale,
        verdicts.explanation,
        verdicts.judged_at
    from verdicts
    inner join step_counts using (debate_id, judge_id)
    left join debates using (debate_id)
    left join read_debates using (debate_id)
    left join winners using (debate_id)
    left join transcripts on verdicts.debate_id = transcripts.transcript_id
    where verdicts.is_final
),

of_speeches as (
    select
        'speech' as task,
        ratings.* exclude (annotator_id, is_reader),
        ratings.annotator_id as judge_id,
        speeches.debate_id as cluster_id,
        1 as step_count,
        people.human_mean as people_value,
        false as is_stale
    from {{ ref('stg_raw__human_ratings') }} as ratings
    inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
    left join {{ ref('int_human_means') }} as people using (item_id, dimension)
    where ratings.is_reader
),

everything as (
    select * from of_debates
    union all by name
    select * from of_speeches
)

select
    * exclude (step_count, people_value),
    {{ reader_name('judge_id', 'dataset_id') }} as person,
    step_count::bigint as step_count,
    people_value::double as people_value
from everything
