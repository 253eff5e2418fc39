{% set arm = ['arm_id', 'honesty'] %}
with

everybody as (
    {{ judgements_of_everybody("probe = 'none' and p_right is not null") }}
),

-- A verdict after the last round stands for the belief after it.
told as (
    select {{ key_of(oversight_keys()) }} as arm_id, everybody.*
    from everybody
    qualify row_number() over (
        partition by
            {{ oversight_keys() | join(', ') }}, unit_id, unit_judge_id, step, sample
        order by is_final desc
    ) = 1
),

beliefs as (
    select
        arm_id,
        {{ oversight_keys() | join(', ') }},
        unit_id,
        unit_judge_id,
        cluster_id,
        is_honest,
        step,
        avg(p_right) as p_right,
        avg(right_score) as right_score
    from told
    group by
        arm_id,
        {{ oversight_keys() | join(', ') }},
        unit_id,
        unit_judge_id,
        cluster_id,
        is_honest,
        step
),

moved as (
    select
        *,
        p_right - lag(p_right) over (
            partition by arm_id, unit_id, unit_judge_id order by step
        ) as change
    from beliefs
    qualify min(step) over (partition by arm_id) < max(step) over (partition by arm_id)
),

parts as (
    select *, 'all' as honesty from moved
    union all
    select *, case when is_honest then 'honest' else 'dishonest' end
    from moved
    where is_honest is not null
),

sums as (
    select
        {{ arm | join(', ') }},
        {{ oversight_keys() | join(', ') }},
        step,
        cluster_id,
        sum(p_right) as p_sum,
        count(*) as p_count,
        sum(right_score) as right_sum,
        coalesce(sum(change), 0) as change_sum,
        count(change) as change_count,
        count(*) filter (where change > 1e-9) as toward_count,
        count(*) filter (where change < -1e-9) as away_count
    from parts
    group by {{ arm | join(', ') }}, {{ oversight_keys() | join(', ') }}, step, cluster_id
),

measured as (
    select
        {{ oversight_keys() | join(', ') }},
        honesty,
        step,
        sum(p_count)::bigint as n_units,
        count(*) as n_clusters,
        sum(p_sum) / sum(p_count) as mean_p_right,
        {{ half_width_over_clusters('p_sum', 'p_count') }} as p_half,
        sum(right_sum) / sum(p_count) as accuracy,
        sum(change_count)::bigint as n_changes,
        count(*) filter (where change_count > 0) as change_clusters,
        sum(change_sum) / nullif(sum(change_count), 0) as change,
        {{ half_width_over_clusters(
            'change_sum', 'change_count', 'count(*) filter (where change_count > 0)'
        ) }} as change_half,
        sum(toward_count)::bigint as toward_count,
        sum(away_count)::bigint as away_count
    from sums
    group by {{ oversight_keys() | join(', ') }}, honesty, step
)

select
    {{ oversight_keys() | join(', ') }},
    honesty,
    step,
    n_units,
    n_clusters,
    mean_p_right,
    {{ clipped_ends('mean_p_right', 'p_half', '0.0', '1.0') }},
    accuracy,
    n_changes,
    change,
    {{ clipped_ends('change', 'change_half', '-1.0', '1.0') }},
    toward_count,
    away_count,
    n_changes - toward_count - away_count as still_count,
    toward_count / nullif(toward_count + away_count, 0)::double as toward_share,
    case
        {{ when_too_few('n_clusters', 'stories or people') }}
        when p_half is null then 'every story is alike'
    end as reason
from measured
