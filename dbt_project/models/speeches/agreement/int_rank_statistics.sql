{# Point estimates per series. Spearman is Pearson on mid-ranks. #}
with

series as (
    select distinct
        observations.series_index,
        observations.role,
        observations.annotator_index,
        observations.ground_index,
        judges.* exclude (panel_index, is_complete)
    from {{ ref('int_rank_observations') }} as observations
    inner join {{ ref('int_rank_judges') }} as judges using (judge_index)
),

sums as (
    select
        series_index,
        count(*) as n,
        -- Every value counts once: its observations add up to 1.
        least(
            round(sum(1.0 / (tied_x + 1)))::bigint, round(sum(1.0 / (tied_y + 1)))::bigint
        ) as m,
        sum(concordance_sum) / 2.0 as concordance,
        sum(tied_x) / 2.0 as tied_x_pairs,
        sum(tied_y) / 2.0 as tied_y_pairs,
        min(x) < max(x) and min(y) < max(y) as is_varied,
        sum(x) as sum_x,
        sum(y) as sum_y,
        sum(x * x) as sum_xx,
        sum(y * y) as sum_yy,
        sum(x * y) as sum_xy,
        sum(rank_x)::double as sum_rank_x,
        sum(rank_y)::double as sum_rank_y,
        sum(rank_x * rank_x)::double as sum_rank_xx,
        sum(rank_y * rank_y)::double as sum_rank_yy,
        sum(rank_x * rank_y)::double as sum_rank_xy
    from {{ ref('int_rank_item_sums') }}
    group by all
)

select
    series.*,
    sums.* exclude (series_index, sum_rank_x, sum_rank_y, sum_rank_xx, sum_rank_yy, sum_rank_xy),
    {{ tau_c('sums.concordance', 'sums.n', 'sums.m') }} as tau_c,
    {{ tau_b('sums.concordance', 'sums.n', 'sums.tied_x_pairs', 'sums.tied_y_pairs') }} as tau_b,
    {{ pearson_from_sums(
        'sums.n', 'sum_rank_x', 'sum_rank_y', 'sum_rank_xx', 'sum_rank_yy', 'sum_rank_xy',
        'is_varied'
    ) }} as spearman,
    {{ pearson_from_sums(
        'sums.n', 'sums.sum_x', 'sums.sum_y', 'sums.sum_xx', 'sums.sum_yy', 'sums.sum_xy', 'is_varied'
    ) }} as pearson
from sums
inner join series using (series_index)
