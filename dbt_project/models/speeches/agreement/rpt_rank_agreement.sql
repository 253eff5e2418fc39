{% set measures = ['tau_c', 'tau_b', 'spearman', 'pearson'] %}
with

estimates as (select * from {{ ref('int_rank_estimates') }}),

unit_counts as (
    select
        judges.* exclude (panel_index, failure_rule, judge_index),
        count(*) as n_values,
        count(distinct observations.item_index) as n_items,
        count(distinct clusters.debate_id) as n_units
    from {{ ref('int_rank_observations') }} as observations
    inner join {{ ref('int_rank_judges') }} as judges using (judge_index)
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
    where judges.failure_rule = {{ excluded() }} and observations.role in ('pooled', 'human')
    group by all
),

headline as (
    select * from estimates
    where failure_rule = {{ excluded() }} and role in ('pooled', 'human')
),

nearest as (select * from estimates where failure_rule = {{ nearest() }}),

farthest as (select * from estimates where failure_rule = {{ farthest() }}),

released as (select * from estimates where failure_rule = {{ released() }}),

on_human_items as (select * from estimates where role = 'judge_on_human_items')

select
    answer_counts.* exclude (n_answers),
    {% for measure in measures %}
        headline.{{ measure }},
        {{ clipped_ends('headline.' ~ measure, measure ~ '_half_width', -1, 1) }},
    {% endfor %}
    coalesce(unit_counts.n_items, 0) as n_items,
    coalesce(unit_counts.n_units, 0) as n_units,
    case
        when answer_counts.judge_id = {{ human() }} then coalesce(unit_counts.n_values, 0)
        else answer_counts.n_answers
    end as n_answers,
    coalesce(
        case
            when answer_counts.judge_id = {{ human() }} then headline.n_series
            else on_human_items.n_series
        end, 0
    ) as n_annotators,
    coalesce(
        case
            when answer_counts.judge_id = {{ human() }} then headline.undefined_series_count
            else on_human_items.undefined_series_count
        end, 0
    ) as undefined_annotator_count,
    answer_counts.unparsed_count
    / nullif(answer_counts.n_answers - answer_counts.unanswered_count, 0)::double as unparsed_share,
    coalesce(nearest.tau_c, headline.tau_c) as tau_c_failures_nearest,
    coalesce(farthest.tau_c, headline.tau_c) as tau_c_failures_farthest,
    coalesce(released.tau_c, headline.tau_c) as tau_c_released,
    on_human_items.tau_c as tau_c_on_human_items,
    {{ clipped_ends(
        'on_human_items.tau_c', 'tau_c_on_human_items_half_width', -1, 1, 'tau_c_on_human_items'
    ) }},
    intervals.tau_c_minus_human,
    {{ ends('intervals.tau_c_minus_human', 'tau_c_minus_human_half_width') }},
    case
        when headline.tau_c is not null then null
        when headline.n_series is null and answer_counts.judge_id = {{ human() }}
            then 'no annotator has {{ var("min_items_per_annotator") }} items rated by others too'
        when headline.n_series is null then 'no item has both a score and a human rating'
        else 'one side has the same value on every item'
    end as undefined_reason
from {{ ref('int_answer_counts') }} as answer_counts
left join headline using (dataset_id, dimension, judge_id, template)
left join unit_counts using (dataset_id, dimension, judge_id, template)
left join {{ ref('int_rank_intervals') }} as intervals
    using (dataset_id, dimension, judge_id, template)
left join nearest using (dataset_id, dimension, judge_id, template)
left join farthest using (dataset_id, dimension, judge_id, template)
left join released using (dataset_id, dimension, judge_id, template)
left join on_human_items using (dataset_id, dimension, judge_id, template)
