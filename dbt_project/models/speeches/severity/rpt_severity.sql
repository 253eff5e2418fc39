{#
Whether a judge scores lower or higher than people, and whether it tells speeches and sources apart
more or less than people do; overall and by source.
#}
with

replicates as (select * from {{ ref('int_severity_replicates') }}),

estimates as (select * from replicates where group_index = -1),

intervals as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        source,
        {{ jackknife_half_width('var_pop(shift)', 'count(*)') }} as shift_half_width,
        {{ jackknife_half_width('var_pop(ln(nullif(spread_ratio, 0)))', 'count(spread_ratio)') }}
            as spread_half_width,
        {{ jackknife_half_width('var_pop(sharpness)', 'count(sharpness)') }}
            as sharpness_half_width
    from replicates
    where group_index >= 0
    group by all
),

items as (
    select
        item_scores.* exclude (debate_id),
        speeches.source,
        speeches.debate_id,
        human_means.human_mean
    from {{ ref('int_item_scores') }} as item_scores
    inner join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
    inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
    where item_scores.failure_rule in ({{ excluded() }}, {{ nearest() }})
),

-- A rule that replaces failures has more answers than one that excludes them, which has no row of
-- what has no score at all.
failed as (
    select
        asked.* exclude (failure_rule, score, n_answers),
        scored.item_id is null as is_unscored,
        {% for bound, name in [('scale_min', 'lowest'), ('scale_max', 'highest')] %}
            case
                when scored.item_id is null then {{ bound }} - asked.human_mean
                else
                    (asked.n_answers - scored.n_answers) / asked.n_answers
                    * ({{ bound }} - scored.score)
            end as {{ name }},
        {% endfor %}
    from items as asked
    inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
    left join (select * from items where failure_rule = {{ excluded() }}) as scored
        using (dataset_id, dimension, judge_id, template, item_id)
    where
        asked.failure_rule = {{ nearest() }}
        and asked.n_answers > coalesce(scored.n_answers, 0)
),

failures as (
    select
        dataset_id, dimension, judge_id, template, source,
        count(*) filter (is_unscored) as n_items_failed,
        sum(lowest) as lowest,
        sum(highest) as highest
    from failed
    group by all
    union all
    select
        dataset_id, dimension, judge_id, template, null,
        count(*) filter (is_unscored), sum(lowest), sum(highest)
    from failed
    group by all
),

unit_counts as (
    select
        dataset_id, dimension, judge_id, template, source, count(distinct debate_id) as n_units
    from items
    where failure_rule = {{ excluded() }}
    group by all
    union all
    select dataset_id, dimension, judge_id, template, null, count(distinct debate_id)
    from items
    where failure_rule = {{ excluded() }}
    group by all
),

keyed as (
    select dataset_id, dimension, judge_id, template, null as source
    from {{ ref('int_answer_counts') }}
    where judge_id != {{ human() }}
    union
    select dataset_id, dimension, judge_id, template, source from estimates
    union
    select dataset_id, dimension, judge_id, template, source from failures
),

joined as (
    select
        keyed.*,
        estimates.* exclude (dataset_id, dimension, judge_id, template, source),
        intervals.* exclude (dataset_id, dimension, judge_id, template, source),
        {{ or_zero(['n_items_failed', 'lowest', 'highest'], of='failures') }},
        coalesce(unit_counts.n_units, 0) as n_units
    from keyed
    {% for other in ['estimates', 'intervals', 'failures', 'unit_counts'] %}
        left join {{ other }}
            on
                {{ alike('keyed', other, [
                    'dataset_id', 'dimension', 'judge_id', 'template', 'source'
                ]) }}
    {% endfor %}
)

select
    * exclude (
        n_items, n_sources, group_index, shift_half_width, spread_half_width, sharpness_half_width,
        lowest, highest
    ),
    case when source is null then 'overall' else 'source' end as scope,
    coalesce(n_items, 0) as n_items,
    coalesce(n_sources, 0) as n_sources,
    {{ ends('shift', 'shift_half_width') }},
    {% for name in ['lowest', 'highest'] %}
        (shift * n_items + {{ name }}) / (n_items + n_items_failed) as shift_failures_{{ name }},
    {% endfor %}
    spread_ratio * exp(-spread_half_width) as spread_ratio_low,
    spread_ratio * exp(spread_half_width) as spread_ratio_high,
    {{ ends('sharpness', 'sharpness_half_width') }},
    case when shift is null then 'no speech has both a score and a human rating' end
        as undefined_reason,
    case
        when spread_ratio is not null then null
        when shift is null then 'no speech has both a score and a human rating'
        when n_items < 2 then 'fewer than two speeches'
        else 'people gave every speech the same mean score'
    end as spread_reason,
    case
        when sharpness is not null then null
        when shift is null then 'no speech has both a score and a human rating'
        when source is not null then 'a slope over sources is of all of them'
        when n_sources < 3 then 'fewer than three sources'
        else 'people gave every source the same mean score'
    end as sharpness_reason
from joined
