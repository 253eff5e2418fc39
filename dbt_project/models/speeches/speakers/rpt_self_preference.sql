{#
How much further a judge of the speaker's family puts it above people than judges of other families do,
topic by topic. On each topic the judge is compared with the others that scored both sides of that topic,
so every comparison is paired. How severe a judge is has no part in it: it is in both of its means.
#}
{% set key = 'dataset_id, dimension, template, source' %}
with

families as (select judge_id, model, family from {{ loaded('judges') }}),

-- Panels and people are nobody's family, so they are neither side.
topics as (
    select
        topics.*,
        families.family,
        families.judge_id = topics.speaker_id or families.model = topics.speaker_id as is_self,
        families.family = topics.speaker_family as is_own
    from {{ ref('int_speaker_topics') }} as topics
    inner join families using (judge_id)
    where topics.speaker_kind = 'model'
),

speakers as (
    select
        {{ key }},
        any_value(speaker_id) as speaker_id,
        any_value(speaker_family) as speaker_family,
        count(distinct judge_id) filter (is_own) as n_own_judges,
        count(distinct judge_id) filter (not is_own) as n_other_judges,
        count(distinct family) filter (not is_own) as n_other_families,
        count(distinct judge_id) filter (is_own is null) as n_judges_left_out
    from topics
    group by {{ key }}
),

own as (
    select distinct {{ key }}, judge_id, is_self from topics where is_own
),

paired as (
    select
        {{ key }},
        one.judge_id,
        one.debate_id,
        any_value(one.difference) as own_difference,
        avg(other.difference) filter (one.difference is not null) as other_difference,
        any_value(one.difference_lowest) - avg(other.difference_highest) as lowest,
        any_value(one.difference_highest) - avg(other.difference_lowest) as highest,
        any_value(one.n_answers)
        + sum(other.n_answers) filter (other.difference is not null) as n_answers,
        any_value(one.speaker_failure_count + one.human_failure_count)
        + sum(other.speaker_failure_count + other.human_failure_count) as failure_count,
        count(other.difference) as n_others
    from topics as one
    inner join topics as other using ({{ key }}, debate_id)
    where one.is_own and not other.is_own
    group by {{ key }}, one.judge_id, one.debate_id
),

bounded as (
    select
        paired.* exclude (
            debate_id, own_difference, other_difference, lowest, highest, n_answers,
            failure_count, n_others
        ),
        avg(own_difference) filter (other_difference is not null) as own_difference,
        avg(other_difference) filter (own_difference is not null) as other_difference,
        avg(own_difference - other_difference) as self_preference,
        stddev_samp(own_difference - other_difference) as spread,
        avg(lowest) as lowest,
        avg(highest) as highest,
        count(own_difference - other_difference) as n_units,
        count(*) filter (
            own_difference is not null and other_difference is not null
            and n_others < speakers.n_other_judges
        ) as incomplete_count,
        coalesce(sum(n_answers) filter (
            own_difference is not null and other_difference is not null
        ), 0)::bigint as n_answers,
        sum(failure_count)::bigint as failure_count,
        {{ clustered_half_width('spread ^ 2 / n_units', 'n_units') }} as half_width
    from paired
    inner join speakers using ({{ key }})
    group by {{ key }}, judge_id
)

select
    speakers.*,
    own.judge_id,
    own.is_self,
    bounded.self_preference,
    {{ ends('bounded.self_preference', 'bounded.half_width') }},
    case when bounded.failure_count > 0 then bounded.lowest end as self_preference_failures_lowest,
    case when bounded.failure_count > 0 then bounded.highest end
        as self_preference_failures_highest,
    bounded.own_difference,
    bounded.other_difference,
    {{ or_zero(['n_units', 'incomplete_count', 'n_answers', 'failure_count'], of='bounded') }},
    case
        when speakers.speaker_family is null then 'the family of the speaker is not known'
        when own.judge_id is null then 'no judge of the family of the speaker'
        when speakers.n_other_judges = 0 then 'no judge of another family'
        when coalesce(bounded.n_units, 0) = 0
            then 'no topic on which it and a judge of another family scored both'
    end as undefined_reason,
    case
        {{ when_too_few('coalesce(bounded.n_units, 0)', 'topics') }}
        when bounded.half_width is null then 'every topic differs alike'
    end as interval_reason
from speakers
left join own using ({{ key }})
left join bounded
    on
        speakers.dataset_id = bounded.dataset_id
        and speakers.dimension = bounded.dimension
        and speakers.template = bounded.template
        and speakers.source = bounded.source
        and own.judge_id = bounded.judge_id
