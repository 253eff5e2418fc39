{#
Per observation, against all others of its series: concordant minus discordant (concordance_sum) and
how many tie with it on either side. Counted on the grid of distinct values with running sums, so the
cost grows with the number of distinct values and not with the number of pairs.
#}
with

observations as (
    select series_id, item_id, debate_id, x, y from {{ ref('int_rank_observations') }}
),

cells as (select series_id, x, y, count(*) as n from observations group by all),

x_levels as (select series_id, x, sum(n) as x_count from cells group by all),

y_levels as (select series_id, y, sum(n) as y_count from cells group by all),

grid as (
    select
        x_levels.series_id,
        x_levels.x,
        y_levels.y,
        any_value(x_levels.x_count) as x_count,
        coalesce(any_value(cells.n), 0) as n
    from x_levels
    inner join y_levels using (series_id)
    left join cells using (series_id, x, y)
    group by all
),

-- At each x: how many observations lie above y, less those below.
balances as (
    select
        series_id,
        x,
        y,
        x_count - 2 * sum(n) over (partition by series_id, x order by y) + n as above_less_below
    from grid
),

-- At each y: the same summed over all larger x, and over all smaller x.
concordances as (
    select
        series_id,
        x,
        y,
        sum(above_less_below) over (
            partition by series_id, y order by x rows between 1 following and unbounded following
        ) as at_larger_x,
        sum(above_less_below) over (
            partition by series_id, y order by x rows between unbounded preceding and 1 preceding
        ) as at_smaller_x
    from balances
)

select
    observations.series_id,
    observations.item_id,
    observations.debate_id,
    observations.x,
    observations.y,
    coalesce(at_larger_x, 0) - coalesce(at_smaller_x, 0) as concordance_sum,
    x_count - 1 as tied_x,
    y_count - 1 as tied_y
from observations
inner join concordances using (series_id, x, y)
inner join x_levels using (series_id, x)
inner join y_levels using (series_id, y)
