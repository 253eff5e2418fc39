{#
Each topic counts once, with the difference of its two means, so that the interval is Student's t of
paired topics. Both means are over shared topics alone.
#}
{% set key = 'dataset_id, dimension, judge_id, template, source' %}
with

topics as (
    select *, difference is not null as is_shared from {{ ref('int_speaker_topics') }}
),

counted as (
    select
        {{ key }},
        {{ alike_in_group(['speaker_kind', 'speaker_id', 'speaker_family']) }},
        avg(speaker_mean) filter (is_shared) as mean_score,
        avg(human_mean) filter (is_shared) as human_mean_score,
        avg(difference) as difference,
        stddev_samp(difference) as difference_sd,
        avg(difference_lowest) as difference_lowest,
        avg(difference_highest) as difference_highest,
        count(difference) as n_units,
        coalesce(sum(n_speaker_speeches) filter (is_shared), 0)::bigint as n_speeches,
        coalesce(sum(n_human_speeches) filter (is_shared), 0)::bigint as n_human_speeches,
        coalesce(sum(n_answers) filter (is_shared), 0)::bigint as n_answers,
        -- Means of thirds differ in the last digit where they are equal.
        count(*) filter (difference > 1e-9) as ahead_count,
        count(*) filter (abs(difference) <= 1e-9) as tied_count,
        count(*) filter (difference < -1e-9) as behind_count,
        count(*) filter (speaker_mean is not null and human_mean is null) as speaker_only_count,
        count(*) filter (speaker_mean is null and human_mean is not null) as human_only_count,
        count(*) filter (speaker_mean is null and human_mean is null) as neither_count,
        sum(speaker_failure_count)::bigint as failure_count,
        sum(human_failure_count)::bigint as human_failure_count
    from topics
    group by {{ key }}
),

bounded as (
    select
        *,
        {{ clustered_half_width('difference_sd ^ 2 / n_units', 'n_units') }} as half_width,
        ahead_count / nullif(n_units, 0)::double as ahead_share,
        failure_count + human_failure_count > 0 as has_failures
    from counted
)

select
    {{ key }},
    * exclude (
        dataset_id, dimension, judge_id, template, source, difference_sd, difference_lowest,
        difference_highest, half_width, has_failures
    ),
    {{ ends('difference', 'half_width') }},
    case when has_failures then difference_lowest end as difference_failures_lowest,
    case when has_failures then difference_highest end as difference_failures_highest,
    {% for end, sign in [('low', -1), ('high', 1)] %}
        case
            when n_units >= {{ var('min_units_for_interval') }}
                then {{ wilson_bound('ahead_share', 'n_units', sign) }}
        end as ahead_share_{{ end }},
    {% endfor %}
    case
        when n_units = 0 and speaker_only_count + neither_count = 0
            then 'no speech of the speaker has a score'
        when n_units = 0 and human_only_count + neither_count = 0
            then 'no speech of people has a score'
        when n_units = 0 then 'no topic has scores of both'
    end as undefined_reason,
    case
        when n_units = 0 then 'no topic has scores of both'
        {{ when_too_few('n_units', 'topics') }}
        when half_width is null then 'every topic differs alike'
    end as interval_reason
from bounded
