{#
The headline series with one group of clusters deleted at a time. A pair statistic without a group is
the whole, less every pair with a member in the group: the members' own sums, less the pairs counted
twice because both members are in it. The number of values m of tau-c stays that of the whole series.
#}
with

series as (
    select * from {{ ref('int_rank_statistics') }} where failure_rule = {{ excluded() }}
),

members as (
    select
        item_sums.* exclude (rank_x, rank_y),
        clusters.group_index
    from {{ ref('int_rank_item_sums') }} as item_sums
    inner join series using (series_index)
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
),

group_sums as (
    select
        series_index,
        group_index,
        count(*) as n,
        sum(concordance_sum) as concordance,
        sum(tied_x) as tied_x,
        sum(tied_y) as tied_y,
        sum(x) as sum_x,
        sum(y) as sum_y,
        sum(x * x) as sum_xx,
        sum(y * y) as sum_yy,
        sum(x * y) as sum_xy
    from members
    group by all
),

within_groups as (
    select
        members.series_index,
        members.group_index,
        sum(sign(members.x - other.x) * sign(members.y - other.y)) as concordance,
        count(*) filter (members.x = other.x) as tied_x,
        count(*) filter (members.y = other.y) as tied_y
    from members
    inner join members as other
        on
            members.series_index = other.series_index
            and members.group_index = other.group_index
            and members.item_index < other.item_index
    group by all
),

left_out as (
    select
        series.series_index,
        group_sums.group_index,
        series.m,
        series.is_varied,
        series.n - group_sums.n as n,
        series.concordance - group_sums.concordance
        + coalesce(within_groups.concordance, 0) as concordance,
        series.tied_x_pairs - group_sums.tied_x + coalesce(within_groups.tied_x, 0) as tied_x_pairs,
        series.tied_y_pairs - group_sums.tied_y + coalesce(within_groups.tied_y, 0) as tied_y_pairs,
        series.sum_x - group_sums.sum_x as sum_x,
        series.sum_y - group_sums.sum_y as sum_y,
        series.sum_xx - group_sums.sum_xx as sum_xx,
        series.sum_yy - group_sums.sum_yy as sum_yy,
        series.sum_xy - group_sums.sum_xy as sum_xy
    from group_sums
    inner join series using (series_index)
    left join within_groups using (series_index, group_index)
)

select
    series_index,
    group_index,
    {{ tau_c('concordance', 'n', 'm') }} as tau_c,
    {{ tau_b('concordance', 'n', 'tied_x_pairs', 'tied_y_pairs') }} as tau_b,
    {{ pearson_from_sums(
        'n', 'sum_x', 'sum_y', 'sum_xx', 'sum_yy', 'sum_xy', 'is_varied'
    ) }} as pearson
from left_out
where n > 1
