{#
Spearman's correlation with one group of clusters deleted at a time. Ranks shift with every deletion,
so they are counted anew from the marginal counts of each side.
#}
with

series as (
    select * from {{ ref('int_rank_statistics') }}
    where failure_rule = {{ excluded() }} and role in ('pooled', 'human')
),

members as (
    select item_sums.series_index, clusters.group_index, item_sums.x, item_sums.y
    from {{ ref('int_rank_item_sums') }} as item_sums
    inner join series using (series_index)
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
),

deletions as (select distinct series_index, group_index from members),

cells as (
    select series_index, x, y, count(*) as n from members group by all
),

deleted_cells as (
    select series_index, group_index, x, y, count(*) as n from members group by all
),

left_cells as (
    select
        deletions.series_index,
        deletions.group_index,
        cells.x,
        cells.y,
        cells.n - coalesce(deleted_cells.n, 0) as n
    from deletions
    inner join cells using (series_index)
    left join deleted_cells using (series_index, group_index, x, y)
    where cells.n > coalesce(deleted_cells.n, 0)
),

x_ranks as (
    select
        series_index,
        group_index,
        x,
        2 * sum(sum(n)) over (partition by series_index, group_index order by x) - sum(n) as rank_x
    from left_cells
    group by series_index, group_index, x
),

y_ranks as (
    select
        series_index,
        group_index,
        y,
        2 * sum(sum(n)) over (partition by series_index, group_index order by y) - sum(n) as rank_y
    from left_cells
    group by series_index, group_index, y
),

sums as (
    select
        series_index,
        group_index,
        sum(n)::double as n,
        sum(n * rank_x)::double as sum_x,
        sum(n * rank_y)::double as sum_y,
        sum(n * rank_x::double * rank_x) as sum_xx,
        sum(n * rank_y::double * rank_y) as sum_yy,
        sum(n * rank_x::double * rank_y) as sum_xy,
        count(distinct x) > 1 and count(distinct y) > 1 as is_varied
    from left_cells
    inner join x_ranks using (series_index, group_index, x)
    inner join y_ranks using (series_index, group_index, y)
    group by all
)

select
    series_index,
    group_index,
    {{ pearson_from_sums(
        'n', 'sum_x', 'sum_y', 'sum_xx', 'sum_yy', 'sum_xy', 'is_varied'
    ) }} as spearman
from sums
