{#
Brier = reliability - resolution + uncertainty + within_bin_variance - within_bin_covariance, which holds
exactly for bins of any width (Stephenson, Coelho and Jolliffe 2008, Weather and Forecasting 23).
#}
{% set seed = var('bootstrap_seed') %}
with

units as (
    select *, {{ units_in_any_order() }} as asked_count
    from {{ ref('int_oversight_units') }}
    where probe = 'none' and asked_for = 'probability'
),

arms as (
    select
        arm_id,
        {{ oversight_keys() | join(', ') }},
        bool_or(is_pooled) as is_pooled,
        {{ is_main_arm() }} as is_main_order,
        any_value(asked_count) - count(*) as other_order_count,
        count(*) filter (where right_answer is not null) as known_count
    from units
    group by arm_id, {{ oversight_keys() | join(', ') }}
),

bins as (
    select
        arm_id, event, bin,
        avg(forecast) as bin_forecast,
        avg(outcome) as bin_outcome
    from {{ ref('int_oversight_forecasts') }}
    group by arm_id, event, bin
),

bases as (
    select arm_id, event, avg(outcome) as base_rate
    from {{ ref('int_oversight_forecasts') }}
    group by arm_id, event
),

forecasts as (
    select
        *,
        case when outcome = 1 then forecast else 1 - forecast end as p_true
    from {{ ref('int_oversight_forecasts') }}
    inner join bins using (arm_id, event, bin)
    inner join bases using (arm_id, event)
),

scores as (
    select
        arm_id,
        count(*) as n_units,
        count(distinct cluster_id) as n_clusters,
        count(distinct unit_judge_id) as n_judges,
        sum(n_answers)::bigint as n_answers,
        any_value(bin_count) as bin_count,
        any_value(base_rate) as base_rate,
        avg((forecast - outcome) ^ 2) as brier,
        avg((bin_forecast - bin_outcome) ^ 2) as reliability,
        avg((bin_outcome - base_rate) ^ 2) as resolution,
        any_value(base_rate * (1 - base_rate)) as uncertainty,
        avg((forecast - bin_forecast) ^ 2) as within_bin_variance,
        2 * avg((outcome - bin_outcome) * (forecast - bin_forecast)) as within_bin_covariance,
        avg(case when p_true > 0 then -ln(p_true) end) as log_score_of_finite,
        count(*) filter (where p_true = 0) as infinite_count
    from forecasts
    where event = 'answer_0'
    group by arm_id
),

likelier as (
    select arm_id, avg(outcome) as accuracy, avg(forecast) as mean_max_p
    from forecasts
    where event = 'max_p'
    group by arm_id
),

-- abs(mean outcome - mean forecast) of a bin, weighted by its size, is this mean over its members.
misses as (
    select
        arm_id,
        event,
        avg(abs(bin_forecast - bin_outcome)) as ece,
        list(
            struct_pack(forecast := forecast, bin := bin, is_half := is_half)
            order by unit_id, unit_judge_id
        ) as units
    from forecasts
    group by arm_id, event
),

errors as (
    select
        arm_id,
        event,
        ece,
        calibrated_ece(
            {{ seed }},
            {{ var('bootstrap_replicates') }},
            list_transform(units, lambda unit: unit.forecast),
            list_transform(units, lambda unit: unit.bin),
            list_transform(units, lambda unit: unit.is_half)
        ) as ece_if_calibrated
    from misses
),

cells as (
    select
        arm_id,
        dense_rank() over (partition by arm_id order by cluster_id) as story,
        dense_rank() over (partition by arm_id order by unit_judge_id) as judge,
        count(*)::double as cell_count,
        sum((forecast - outcome) ^ 2) as brier_sum,
        sum(case when p_true > 0 then -ln(p_true) else 0 end) as log_sum
    from forecasts
    where event = 'answer_0'
    group by arm_id, cluster_id, unit_judge_id
),

listed as (
    select
        arm_id,
        list(story order by story, judge) as stories,
        list(judge order by story, judge) as judges,
        list(cell_count order by story, judge) as counts,
        list(brier_sum order by story, judge) as brier_sums,
        list(log_sum order by story, judge) as log_sums
    from cells
    group by arm_id
),

drawn as (
    select
        arm_id,
        {{ oversight_replicates('brier_sums', 'counts') }} as brier_draws,
        {{ oversight_replicates('log_sums', 'counts') }} as log_draws
    from listed
),

joined as (
    select
        arms.*,
        scores.* exclude (arm_id),
        likelier.accuracy,
        likelier.mean_max_p,
        answer_0.ece as ece_answer_0,
        answer_0.ece_if_calibrated as ece_answer_0_if_calibrated,
        max_p.ece as ece_max_p,
        max_p.ece_if_calibrated as ece_max_p_if_calibrated,
        brier_draws,
        log_draws,
        case when is_pooled then least(n_clusters, n_judges) else n_clusters end as drawn_count
    from arms
    left join scores using (arm_id)
    left join likelier using (arm_id)
    left join drawn using (arm_id)
    left join errors as answer_0
        on arms.arm_id = answer_0.arm_id and answer_0.event = 'answer_0'
    left join errors as max_p on arms.arm_id = max_p.arm_id and max_p.event = 'max_p'
)

select
    {{ oversight_keys() | join(', ') }},
    is_pooled,
    is_main_order,
    {{ or_zero(['n_units', 'n_clusters', 'n_answers']) }},
    other_order_count,
    coalesce(bin_count, 0) as bin_count,
    base_rate,
    brier,
    {{ list_bound('brier_draws', 0.025, 'drawn_count') }} as brier_low,
    {{ list_bound('brier_draws', 0.975, 'drawn_count') }} as brier_high,
    reliability,
    resolution,
    uncertainty,
    within_bin_variance,
    within_bin_covariance,
    ece_answer_0,
    ece_answer_0_if_calibrated,
    ece_max_p,
    ece_max_p_if_calibrated,
    accuracy,
    mean_max_p,
    mean_max_p - accuracy as overconfidence,
    case when infinite_count = 0 then log_score_of_finite end as log_score,
    case when infinite_count = 0 then {{ list_bound('log_draws', 0.025, 'drawn_count') }} end
        as log_score_low,
    case when infinite_count = 0 then {{ list_bound('log_draws', 0.975, 'drawn_count') }} end
        as log_score_high,
    log_score_of_finite,
    coalesce(infinite_count, 0) as infinite_count,
    case
        when n_units is null and known_count = 0 then 'the right answers are withheld'
        when n_units is null then 'no readable probability of a known answer'
        {{ when_too_few('drawn_count', 'stories or people') }}
    end as reason,
    case
        when n_units is null and known_count = 0 then 'the right answers are withheld'
        when n_units is null then 'no readable probability of a known answer'
        when
            infinite_count > 0
            then 'infinite: certain of the wrong answer ' || infinite_count || ' times'
    end as log_reason
from joined
