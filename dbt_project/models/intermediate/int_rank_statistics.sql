{# Point estimates per series. Spearman is Pearson on mid-ranks. #}
with

item_sums as (select * from {{ ref('int_rank_item_sums') }}),

series as (
    select distinct
        series_id, dataset_id, dimension, judge_id, template, failure_rule, role, annotator_id
    from {{ ref('int_rank_observations') }}
),

ranked as (
    select
        *,
        2 * rank() over (partition by series_id order by x) + tied_x as rank_x,
        2 * rank() over (partition by series_id order by y) + tied_y as rank_y
    from item_sums
),

sums as (
    select
        series_id,
        count(*) as n,
        least(count(distinct x), count(distinct y)) as m,
        sum(concordance_sum) / 2.0 as concordance,
        sum(tied_x) / 2.0 as tied_x_pairs,
        sum(tied_y) / 2.0 as tied_y_pairs,
        count(distinct x) > 1 and count(distinct y) > 1 as is_varied,
        sum(x) as sum_x,
        sum(y) as sum_y,
        sum(x * x) as sum_xx,
        sum(y * y) as sum_yy,
        sum(x * y) as sum_xy,
        corr(rank_x, rank_y) as rank_correlation
    from ranked
    group by all
)

select
    series.*,
    sums.n,
    sums.m,
    sums.concordance,
    sums.tied_x_pairs,
    sums.tied_y_pairs,
    sums.is_varied,
    sums.sum_x,
    sums.sum_y,
    sums.sum_xx,
    sums.sum_yy,
    sums.sum_xy,
    {{ tau_c('sums.concordance', 'sums.n', 'sums.m') }} as tau_c,
    {{ tau_b('sums.concordance', 'sums.n', 'sums.tied_x_pairs', 'sums.tied_y_pairs') }} as tau_b,
    case when is_varied then rank_correlation end as spearman,
    {{ pearson_from_sums(
        'sums.n', 'sums.sum_x', 'sums.sum_y', 'sums.sum_xx', 'sums.sum_yy', 'sums.sum_xy', 'is_varied'
    ) }} as pearson
from sums
inner join series using (series_id)
