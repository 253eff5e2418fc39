{#
Shift, spread and sharpness of every judge, on the whole (group -1) and with one group of topics left
out at a time; overall (no source) and per source.
#}
with

speeches as (select item_id, debate_id, source from {{ ref('stg_raw__speeches') }}),

clusters as (
    select distinct debate_id, group_index from {{ ref('int_rank_clusters') }}
),

cells as (
    select
        item_scores.dataset_id,
        item_scores.dimension,
        item_scores.judge_id,
        item_scores.template,
        speeches.source,
        clusters.group_index,
        count(*)::double as n,
        count(distinct speeches.debate_id) as n_units,
        sum(item_scores.score) as sum_x,
        sum(human_mean) as sum_y,
        sum(item_scores.score ^ 2) as sum_xx,
        sum(human_mean ^ 2) as sum_yy
    from {{ ref('int_item_scores') }} as item_scores
    inner join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
    inner join speeches using (item_id)
    inner join clusters on speeches.debate_id = clusters.debate_id
    where item_scores.failure_rule = {{ excluded() }}
    group by all
),

wholes as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        source,
        sum(n) as n,
        sum(n_units)::bigint as n_units,
        sum(sum_x) as sum_x,
        sum(sum_y) as sum_y,
        sum(sum_xx) as sum_xx,
        sum(sum_yy) as sum_yy
    from cells
    group by all
),

deletions as (
    select distinct dataset_id, dimension, judge_id, template, group_index from cells
    union all
    select distinct dataset_id, dimension, judge_id, template, -1 from cells
),

kept as (
    select
        wholes.dataset_id,
        wholes.dimension,
        wholes.judge_id,
        wholes.template,
        wholes.source,
        deletions.group_index,
        -- A source none of whose topics are left out has no replicate of its own.
        deletions.group_index = -1 or cells.n is not null as is_own,
    {% for column in ['n', 'sum_x', 'sum_y', 'sum_xx', 'sum_yy'] %}
        wholes.{{ column }} - coalesce(cells.{{ column }}, 0) as {{ column }}
        {{- "," if not loop.last }}
    {% endfor %}
    from wholes
    inner join deletions using (dataset_id, dimension, judge_id, template)
    left join cells using (dataset_id, dimension, judge_id, template, source, group_index)
),

scopes as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        source,
        group_index,
        n,
        sum_x,
        sum_y,
        sum_xx,
        sum_yy,
        null::double as sharpness,
        1 as n_sources
    from kept
    where is_own and n > 0
    union all
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        null as source,
        group_index,
        sum(n) as n,
        sum(sum_x) as sum_x,
        sum(sum_y) as sum_y,
        sum(sum_xx) as sum_xx,
        sum(sum_yy) as sum_yy,
        case
            when
                count(*) >= 3
                and max(round(sum_y / n, 9)) > min(round(sum_y / n, 9))
                then regr_slope(sum_x / n, sum_y / n)
        end as sharpness,
        count(*) as n_sources
    from kept
    where n > 0
    group by all
),

measured as (
    select
        *,
        (sum_x - sum_y) / n as shift,
        greatest(sum_xx - sum_x ^ 2 / n, 0) as squares_x,
        sum_yy - sum_y ^ 2 / n as squares_y
    from scopes
)

select
    * exclude (n, sum_x, sum_y, sum_xx, sum_yy, squares_x, squares_y),
    n::bigint as n_items,
    sum_x / n as judge_mean,
    sum_y / n as human_mean,
    -- Sums of equal scores differ from 0 by rounding alone.
    case
        when n > 1 and squares_y > 1e-9
            then case when squares_x > 1e-9 then sqrt(squares_x / squares_y) else 0 end
    end as spread_ratio
from measured
