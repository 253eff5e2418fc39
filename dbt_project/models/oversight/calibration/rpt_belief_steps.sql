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

meant as (
    select
        *,
        (sum(p_count) over step_of)::bigint as n_units,
        count(*) over step_of as n_clusters,
        sum(p_sum) over step_of / sum(p_count) over step_of as mean_p_right,
        (sum(change_count) over step_of)::bigint as n_changes,
        count(*) filter (where change_count > 0) over step_of as change_clusters,
        sum(change_sum) over step_of / nullif(sum(change_count) over step_of, 0) as change
    from sums
    window step_of as (partition by {{ arm | join(', ') }}, step)
),

measured as (
    select
        {{ oversight_keys() | join(', ') }},
        honesty,
        step,
        any_value(n_units) as n_units,
        any_value(n_clusters) as n_clusters,
        any_value(mean_p_right) as mean_p_right,
        {{ clustered_variance('p_sum', 'p_count', 'mean_p_right', 'n_units', 'n_clusters') }}
            as p_variance,
        sum(right_sum) / any_value(n_units) as accuracy,
        any_value(n_changes) as n_changes,
        any_value(change_clusters) as change_clusters,
        any_value(change) as change,
        -- Clusters without a change are zeros in the sum and have no part in the number of
        -- clusters.
        {{ clustered_variance(
            'change_sum', 'change_count', 'change', 'n_changes', 'change_clusters'
        ) }}
            as change_variance,
        sum(toward_count)::bigint as toward_count,
        sum(away_count)::bigint as away_count
    from meant
    group by {{ oversight_keys() | join(', ') }}, honesty, step
),

widths as (
    select
        *,
        {{ clustered_half_width('p_variance', 'n_clusters') }} as p_half,
        {{ clustered_half_width('change_variance', 'change_clusters') }} as change_half
    from measured
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
from widths
