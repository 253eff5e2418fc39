{#
A speaker's speeches beside people's on the same topic. People's sources are pooled; everybody else is
a speaker of their own. A topic has a row as soon as the judge was asked about one of the two sides.
#}
{% set key = 'dataset_id, dimension, judge_id, template' %}
with

speeches as (select * from {{ ref('int_speeches_scored') }}),

sides as (
    select
        {{ key }},
        debate_id,
        case when speaker_kind = {{ human() }} then {{ human() }} else source end as side,
        coalesce(speaker_kind = {{ human() }}, false) as is_human,
        avg(score) as mean_score,
        avg(score_lowest) as mean_lowest,
        avg(score_highest) as mean_highest,
        count(score) as n_speeches,
        sum(n_answers)::bigint as n_answers,
        sum(failure_count)::bigint as failure_count
    from speeches
    group by all
),

people as (select * from sides where is_human),

speakers as (
    select distinct {{ key }}, source, speaker_kind, speaker_id, speaker_family
    from speeches
    where speaker_kind is distinct from {{ human() }}
),

topics as (
    select {{ key }}, speakers.source, people.debate_id
    from speakers
    inner join people using ({{ key }})
    union
    select {{ key }}, side as source, debate_id from sides where not is_human
)

select
    speakers.*,
    topics.debate_id,
    own.mean_score as speaker_mean,
    people.mean_score as human_mean,
    own.mean_score - people.mean_score as difference,
    own.mean_lowest - people.mean_highest as difference_lowest,
    own.mean_highest - people.mean_lowest as difference_highest,
    coalesce(own.n_speeches, 0) as n_speaker_speeches,
    coalesce(people.n_speeches, 0) as n_human_speeches,
    coalesce(own.n_answers, 0) + coalesce(people.n_answers, 0) as n_answers,
    coalesce(own.failure_count, 0) as speaker_failure_count,
    coalesce(people.failure_count, 0) as human_failure_count
from topics
inner join speakers using ({{ key }}, source)
left join (select *, side as source from sides where not is_human) as own
    using ({{ key }}, source, debate_id)
left join people using ({{ key }}, debate_id)
