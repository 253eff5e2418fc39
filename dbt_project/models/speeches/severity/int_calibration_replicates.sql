{#
Errors and tau-c of every mapping, on the whole (group -1) and with one group of topics left out at a
time. The fits are taken as they are. Pairs of speeches are added up by pairs of groups: what is left
without a group is the whole less every pair with a member in it.

The fits to different folds give one score different means. These are no finer scale: speeches of equal
score stay tied, and the number of values m of tau-c is that of the scores as they are.
#}
with

items as (
    select
        series_id,
        method,
        item_id,
        group_index,
        round(score, 9) as score,
        round(prediction, 9) as x,
        round(human_mean, 9) as y,
        prediction - human_mean as error
    from {{ ref('int_calibration_predictions') }}
),

group_sums as (
    select
        series_id,
        method,
        group_index,
        count(*) as n,
        sum(error) as error,
        sum(abs(error)) as absolute_error,
        sum(error ^ 2) as squared_error
    from items
    group by all
),

block_sums as (
    select
        items.series_id,
        items.method,
        items.group_index,
        other.group_index as other_group,
        sum(
            case
                when items.score != other.score
                    then sign(items.x - other.x) * sign(items.y - other.y)
                else 0
            end
        ) as concordance
    from items
    inner join items as other
        on
            items.series_id = other.series_id
            and items.method = other.method
            and items.item_id < other.item_id
    group by all
),

touched as (
    select series_id, method, group_index, sum(concordance) as concordance
    from (
        select series_id, method, group_index, concordance from block_sums
        union all
        select series_id, method, other_group, concordance
        from block_sums
        where other_group != group_index
    )
    group by all
),

wholes as (
    select
        series_id,
        method,
        count(*) as n,
        sum(error) as error,
        sum(abs(error)) as absolute_error,
        sum(error ^ 2) as squared_error
    from items
    group by all
),

value_counts as (
    select series_id, least(count(distinct x), count(distinct y)) as m
    from items
    where method = 'none'
    group by all
),

concordances as (
    select series_id, method, sum(concordance) as concordance from block_sums group by all
),

kept as (
    select
        wholes.*, coalesce(concordances.concordance, 0) as concordance, -1 as group_index
    from wholes
    left join concordances using (series_id, method)
    union all
    select
        wholes.series_id,
        wholes.method,
        wholes.n - group_sums.n,
        wholes.error - group_sums.error,
        wholes.absolute_error - group_sums.absolute_error,
        wholes.squared_error - group_sums.squared_error,
        coalesce(concordances.concordance, 0) - coalesce(touched.concordance, 0),
        group_sums.group_index
    from wholes
    inner join group_sums using (series_id, method)
    left join concordances using (series_id, method)
    left join touched using (series_id, method, group_index)
    where wholes.n > group_sums.n
)

select
    series_id,
    method,
    group_index,
    n as n_items,
    absolute_error / n as mae,
    sqrt(greatest(squared_error, 0) / n) as rmse,
    error / n as bias,
    {{ tau_c('concordance', 'n', 'm') }} as tau_c
from kept
inner join value_counts using (series_id)
