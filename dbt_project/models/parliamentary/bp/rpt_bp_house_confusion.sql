{#
Every debate has one house of each official rank, so that a debate's share is that of its readable
rankings, and a cell without any is a share of 0.
#}
with

settings as (select * from {{ ref('dim_adjudication_setting') }}),

pairs as (
    select setting_id, debate_key, official::int as official_rank, predicted::int as predicted_rank
    from {{ ref('int_adjudication_values') }}
    where task = {{ house_ranks() }} and official is not null and predicted is not null
),

units as (
    select setting_id, debate_key, count(*) / 4 as n_answers from pairs group by all
),

cells as (
    select setting_id, debate_key, official_rank, predicted_rank, count(*) as n
    from pairs
    group by all
),

sums as (
    select
        setting_id,
        count(*) as n_units,
        sum(n_answers)::bigint as n_answers
    from units
    group by setting_id
),

shares as (
    select
        cells.setting_id,
        cells.official_rank,
        cells.predicted_rank,
        sum(cells.n)::bigint as n,
        sum(cells.n / units.n_answers) as share_sum,
        sum((cells.n / units.n_answers) ^ 2) as share_squares
    from cells
    inner join units using (setting_id, debate_key)
    group by all
),

grid as (
    select setting_id, official_rank, predicted_rank
    from settings
    cross join (select unnest(range(1, 5)) as official_rank)
    cross join (select unnest(range(1, 5)) as predicted_rank)
    where task in ({{ house_ranks() }}, {{ all_tasks() }})
),

-- Debates without the cell have a share of 0 in it, and so only count.
estimated as (
    select
        grid.*,
        coalesce(shares.n, 0) as n,
        coalesce(sums.n_units, 0) as n_units,
        coalesce(sums.n_answers, 0) as n_answers,
        coalesce(shares.share_sum, 0) / nullif(sums.n_units, 0)::double as share,
        greatest(
            0, coalesce(shares.share_squares, 0) - coalesce(shares.share_sum, 0) ^ 2 / sums.n_units
        ) / nullif(sums.n_units - 1, 0) / sums.n_units as variance
    from grid
    left join sums using (setting_id)
    left join shares using (setting_id, official_rank, predicted_rank)
),

halved as (
    select *, {{ clustered_half_width('variance', 'n_units') }} as half_width from estimated
)

select
    {{ adjudication_setting_columns('settings') }},
    halved.* exclude (setting_id, variance, half_width),
    {{ share_ends('share', 'half_width', 'n_units') }},
    {{ share_null_reason('n_units') }} as null_reason
from halved
inner join settings using (setting_id)
