{#
How much a judge's answers to the same frozen items changed since the first wave, and since the wave
before: paired by item, with intervals by topic. Where all topics changed by the same there is no
interval, and the p is 0 if they changed and 1 if they did not.
#}
with

waves as (select * from {{ ref('int_anchor_waves') }}),

pairs as (
    select
        earlier.wave_id as earlier_id,
        later.wave_id as later_id,
        later.anchor_set,
        later.judge_line as judge_id,
        later.dimension,
        later.dataset_id,
        earlier.wave as from_wave,
        later.wave as to_wave,
        earlier.judge_ids[1] as from_judge_id,
        later.judge_ids[1] as to_judge_id,
        earlier.templates[1] as from_template,
        later.templates[1] as to_template,
        later.began_at,
        later.failed_count + earlier.failed_count as failed_count,
        unnest(
            case
                when later.place = 2 then ['first', 'before']
                else [if(earlier.place = 1, 'first', 'before')]
            end
        ) as since,
        later.place = max(later.place) over (
            partition by later.anchor_set, later.judge_line, later.dimension
        ) as is_latest
    from waves as later
    inner join waves as earlier
        on
            later.anchor_set = earlier.anchor_set
            and later.judge_line = earlier.judge_line
            and later.dimension = earlier.dimension
            and earlier.place < later.place
            and (earlier.place = 1 or earlier.place = later.place - 1)
),

changes as (
    select
        pairs.earlier_id,
        pairs.later_id,
        pairs.since,
        later.cluster_id,
        later.value,
        earlier.value as value_before,
        later.value - earlier.value as change,
        abs(later.value - later.people_value) - abs(earlier.value - earlier.people_value)
            as error_change
    from pairs
    inner join {{ ref('int_anchor_units') }} as later on pairs.later_id = later.wave_id
    inner join {{ ref('int_anchor_units') }} as earlier
        on pairs.earlier_id = earlier.wave_id and later.item_id = earlier.item_id
),

clusters as (
    select
        earlier_id,
        later_id,
        since,
        cluster_id,
        count(*) as item_count,
        sum(value) as value_sum,
        sum(value_before) as before_sum,
        sum(change) as change_sum,
        count(*) filter (where abs(change) > 1e-9) as changed_count,
        coalesce(sum(error_change), 0) as error_sum,
        count(error_change) as error_count
    from changes
    group by earlier_id, later_id, since, cluster_id
),

totals as (
    select
        *,
        count(*) over pair as n_clusters,
        sum(item_count) over pair as n_answers,
        sum(change_sum) over pair / sum(item_count) over pair as drift,
        sum(changed_count) over pair / sum(item_count) over pair as changed_share,
        sum(error_count) over pair as n_judged,
        count(*) filter (where error_count > 0) over pair as n_judged_clusters,
        sum(error_sum) over pair / nullif(sum(error_count) over pair, 0) as error_drift
    from clusters
    window pair as (partition by earlier_id, later_id, since)
),

halved as (
    select
        earlier_id,
        later_id,
        since,
        any_value(n_answers)::bigint as n_answers,
        any_value(n_clusters) as n_units,
        sum(before_sum) / any_value(n_answers) as mean_before,
        sum(value_sum) / any_value(n_answers) as mean_after,
        {{ alike_in_group(['drift', 'changed_share', 'error_drift']) }},
        any_value(n_judged)::bigint as n_judged,
        any_value(n_judged_clusters) as n_judged_units,
        {{ clustered_variance('change_sum', 'item_count', 'drift', 'n_answers', 'n_clusters') }}
            as drift_variance,
        {{ clustered_variance(
            'changed_count', 'item_count', 'changed_share', 'n_answers', 'n_clusters'
        ) }}
            as changed_variance,
        {{ clustered_variance(
            'error_sum', 'error_count', 'error_drift', 'n_judged', 'n_judged_clusters'
        ) }}
            as error_variance,
        {{ clustered_half_width('drift_variance', 'n_units') }} as drift_half_width,
        {{ clustered_half_width('changed_variance', 'n_units') }} as changed_half_width,
        {{ clustered_half_width('error_variance', 'n_judged_units') }} as error_half_width
    from totals
    group by earlier_id, later_id, since
),

tested as (
    select
        *,
        case
            when n_units < {{ var('min_units_for_interval') }} then null
            when drift_half_width is not null
                then student_t_two_sided(drift / sqrt(drift_variance), (n_units - 1)::double)
            else (abs(drift) <= 1e-9)::integer::double
        end as p
    from halved
),

paired as (
    select *
    from pairs
    left join tested using (earlier_id, later_id, since)
),

adjusted as (
    {{ benjamini_hochberg('paired', 'anchor_set, judge_id, since') }}
)

select
    adjusted.* exclude (
        earlier_id, later_id, n_judged, n_judged_units, drift_variance, changed_variance,
        error_variance, drift_half_width, changed_half_width, error_half_width
    ) replace (coalesce(n_answers, 0) as n_answers, coalesce(n_units, 0) as n_units),
    {{ ends('adjusted.drift', 'adjusted.drift_half_width') }},
    {{ share_ends('changed_share', 'changed_half_width', 'n_units') }},
    {{ ends('adjusted.error_drift', 'adjusted.error_half_width') }},
    case when adjusted.dimension = 'winner' then 1.0 else scales.scale_max - scales.scale_min end
        as scale_width,
    case
        when adjusted.drift is null then 'no item has an answer in both waves'
        when adjusted.p is null
            then
                'fewer than {{ var("min_units_for_interval") }} topics have an answer in both '
                || 'waves'
    end as reason
from adjusted
left join {{ ref('dim_dimension') }} as scales using (dataset_id, dimension)
