{#
Per observation, against all others of its series: concordant minus discordant (concordance_sum), how
many tie with it on either side, and twice its mid-ranks. Counted on the grid of distinct values with
running sums, so the cost grows with the number of distinct values and not with the number of pairs.
#}
with

observations as (
    select series_index, item_index, x, y from {{ ref('int_rank_observations') }}
),

-- Counts as doubles: sums of whole numbers are 128 bits wide in DuckDB, and twice as slow.
cells as (select series_index, x, y, count(*)::double as n from observations group by all),

x_counts as (select series_index, x, sum(n) as x_count from cells group by all),

y_counts as (select series_index, y, sum(n) as y_count from cells group by all),

x_levels as (
    select
        *,
        2 * sum(x_count) over (partition by series_index order by x) - x_count as rank_x
    from x_counts
),

y_levels as (
    select
        *,
        2 * sum(y_count) over (partition by series_index order by y) - y_count as rank_y
    from y_counts
),

grid as (
    select
        x_levels.series_index,
        x_levels.x,
        y_levels.y,
        x_levels.x_count,
        coalesce(cells.n, 0) as n
    from x_levels
    inner join y_levels using (series_index)
    left join cells using (series_index, x, y)
),

-- At each x: how many observations lie above y, less those below.
balances as (
    select
        series_index,
        x,
        y,
        n,
        x_count - 2 * sum(n) over (partition by series_index, x order by y) + n as above_less_below
    from grid
),

-- At each y: the same summed over all larger x, less that over all smaller x.
concordances as (
    select
        series_index,
        x,
        y,
        n,
        sum(above_less_below) over (partition by series_index, y)
        + above_less_below
        - 2 * sum(above_less_below) over (partition by series_index, y order by x)
            as concordance_sum
    from balances
)

select
    observations.*,
    concordances.concordance_sum,
    x_levels.x_count - 1 as tied_x,
    y_levels.y_count - 1 as tied_y,
    x_levels.rank_x,
    y_levels.rank_y
from observations
inner join concordances using (series_index, x, y)
inner join x_levels using (series_index, x)
inner join y_levels using (series_index, y)
