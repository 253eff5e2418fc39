with

kappas as (select * from {{ ref('int_kappas') }}),

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

pair_counts as (
    select dataset_id, dimension, min_shared_items, count(*) as pair_count
    from {{ ref('int_annotator_pairs') }}
    inner join thresholds on n_shared >= min_shared_items
    group by all
),

headline as (select * from kappas where failure_rule = {{ excluded() }}),

nearest as (select * from kappas where failure_rule = {{ nearest() }}),

farthest as (select * from kappas where failure_rule = {{ farthest() }}),

released as (select * from kappas where failure_rule = {{ released() }}),

keyed as (select * from {{ ref('int_answer_counts') }} as answer_counts cross join thresholds)

select
    keyed.* exclude (min_shared_items),
    keyed.min_shared_items::bigint as min_shared_items,
    headline.mean_kappa,
    resampled.kappa_low,
    resampled.kappa_high,
    headline.median_kappa,
    case
        when keyed.judge_id = {{ human() }} then coalesce(headline.comparison_count, 0)
        else coalesce(paired.pair_count, 0)
    end as pair_count,
    coalesce(headline.comparison_count, 0) as comparison_count,
    coalesce(headline.undefined_count, 0) as undefined_pair_count,
    case
        when keyed.judge_id = {{ human() }} then 0
        else coalesce(pair_counts.pair_count, 0) - coalesce(paired.pair_count, 0)
    end as dropped_pair_count,
    headline.mean_support,
    coalesce(resampled.n_units, 0) as n_units,
    paired.kappa_minus_human,
    resampled.difference_low as kappa_minus_human_low,
    resampled.difference_high as kappa_minus_human_high,
    coalesce(nearest.mean_kappa, headline.mean_kappa) as mean_kappa_failures_nearest,
    coalesce(farthest.mean_kappa, headline.mean_kappa) as mean_kappa_failures_farthest,
    coalesce(
        released.mean_kappa_undefined_as_0, headline.mean_kappa_undefined_as_0
    ) as mean_kappa_released,
    case
        when headline.mean_kappa is not null then null
        when coalesce(pair_counts.pair_count, 0) = 0
            then 'no two annotators share ' || keyed.min_shared_items || ' items'
        when headline.comparison_count is null
            then
                'no annotator pair keeps '
                || keyed.min_shared_items
                || ' items this judge has scored'
        else 'both raters are constant in every pair'
    end as undefined_reason
from keyed
left join headline using (dataset_id, dimension, judge_id, template, min_shared_items)
left join {{ ref('int_kappas_resampled') }} as resampled
    using (dataset_id, dimension, judge_id, template, min_shared_items)
left join {{ ref('int_kappas_paired') }} as paired
    using (dataset_id, dimension, judge_id, template, min_shared_items)
left join pair_counts using (dataset_id, dimension, min_shared_items)
left join nearest using (dataset_id, dimension, judge_id, template, min_shared_items)
left join farthest using (dataset_id, dimension, judge_id, template, min_shared_items)
left join released using (dataset_id, dimension, judge_id, template, min_shared_items)
