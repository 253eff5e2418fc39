{#
A ranking counts as a whole or not at all. A pair that a ranking ties though the panel does not is half
right, which only adjudicators' own scores can show; a judge's ranking has no ties.
#}
{% set n_most = 8 %}
with

decisions as (
    select *
    from {{ ref('int_bp_decisions') }}
    where task in ({{ house_ranks() }}, {{ speaker_ranks() }})
),

-- What a ranking is compared with: a debate's own pattern of ties, or that of the rest of a panel.
references_of_places as (
    select debate_key, task, 0::bigint as ballot, place_index, official, tie_size
    from {{ ref('int_bp_results') }}
    where task in ({{ house_ranks() }}, {{ speaker_ranks() }})
    union all
    select debate_key, task, ballot, place_index, official, tie_size
    from {{ ref('int_bp_baselines') }}
    where task in ({{ house_ranks() }}, {{ speaker_ranks() }}) and ballot > 0
),

sized as (
    select *, count(*) over (partition by debate_key, task, ballot) as n from references_of_places
),

counted as (
    select
        debate_key,
        task,
        ballot,
        any_value(n)::double as n,
        {% for place in range(1, n_most + 1) %}
            any_value(official) filter (place_index = {{ place }}) as o{{ place }},
            any_value(tie_size) filter (place_index = {{ place }}) as t{{ place }},
        {% endfor %}
        min(official) as best_official,
        max(official) as worst_official,
        max(tie_size) as largest_tie,
        sum(tie_size - 1) / 2.0 as tied_pairs,
        sum({{ expected_rank_difference('official', 'n') }}) as chance_sum,
        sum({{ least_rank_difference('tie_size') }}) as least_sum,
        sum({{ greatest_rank_difference('official', 'tie_size', 'n') }}) as greatest_sum,
        exp(sum(ln(factorial(tie_size::int)) / tie_size)) / factorial(any_value(n)::int)
            as chance_exact,
        min_by(tie_size, official) / any_value(n) as chance_top,
        max_by(tie_size, official) / any_value(n) as chance_bottom,
        sum(tie_size) / any_value(n)::double ^ 2 as chance_place
    from sized
    group by debate_key, task, ballot
),

patterns as (select *, n * (n - 1) / 2 - tied_pairs as told_apart from counted),

rankings as (
    select
        subject_id,
        task,
        debate_key,
        ballot,
        answer_key,
        bool_or(is_random) as is_random,
        count(*) as n_places,
        count(predicted) as n_values,
        count(predicted) = count(*) as is_read,
        {% for place in range(1, n_most + 1) %}
            any_value(predicted) filter (place_index = {{ place }}) as p{{ place }},
        {% endfor %}
        min(predicted) as best_predicted,
        max(predicted) as worst_predicted
    from decisions
    group by subject_id, task, debate_key, ballot, answer_key
),

compared as (
    select
        rankings.*,
        patterns.* exclude (debate_key, task, ballot),
        {{ concordance('p', 'o', n_most) }} as concordance,
        {{ tied_pairs('p', n_most) }} as predicted_tied_pairs,
        {% for place in range(1, n_most + 1) %}
            coalesce(abs(p{{ place }} - o{{ place }}), 0) {{ '+' if not loop.last }}
        {% endfor %} as rank_difference,
        {% for place in range(1, n_most + 1) %}
            coalesce((abs(p{{ place }} - o{{ place }}) <= (t{{ place }} - 1) / 2.0)::int, 0)
            {{ '+' if not loop.last }}
        {% endfor %} as right_places,
        {{ end_accuracy('p', 'best_predicted', 'o', 'best_official', n_most) }} as top_share,
        {{ end_accuracy('p', 'worst_predicted', 'o', 'worst_official', n_most) }} as bottom_share
    from rankings
    inner join patterns using (debate_key, task, ballot)
),

measured as (
    select
        *,
        case when is_read then rank_difference::double end as sum_rank_difference,
        chance_sum as sum_rank_difference_chance,
        least_sum as sum_rank_difference_best,
        greatest_sum as sum_rank_difference_worst,
        case when is_read then rank_difference / n end as mean_rank_difference,
        chance_sum / n as mean_rank_difference_chance,
        least_sum / n as mean_rank_difference_best,
        greatest_sum / n as mean_rank_difference_worst,
        case when is_read then (concordance = told_apart)::int::double end as exact_match,
        chance_exact as exact_match_chance,
        1.0::double as exact_match_best,
        case when told_apart = 0 then 1.0 else 0.0 end::double as exact_match_worst,
        case when is_read then (concordance + told_apart) / nullif(2.0 * told_apart, 0) end::double
            as pair_accuracy,
        0.5::double as pair_accuracy_chance,
        case when told_apart > 0 then 1.0 end::double as pair_accuracy_best,
        case when told_apart > 0 then 0.0 end::double as pair_accuracy_worst,
        case
            when is_read
                then {{ tau_b('concordance', 'n', 'predicted_tied_pairs', 'tied_pairs') }}
        end as kendall_tau,
        0.0::double as kendall_tau_chance,
        case when told_apart > 0 then sqrt(told_apart / (n * (n - 1) / 2)) end as kendall_tau_best,
        case when told_apart > 0 then -sqrt(told_apart / (n * (n - 1) / 2)) end
            as kendall_tau_worst,
        case when is_read then top_share end as top_accuracy,
        chance_top as top_accuracy_chance,
        1.0::double as top_accuracy_best,
        case when chance_top = 1 then 1.0 else 0.0 end::double as top_accuracy_worst,
        case when is_read then bottom_share end as bottom_accuracy,
        chance_bottom as bottom_accuracy_chance,
        1.0::double as bottom_accuracy_best,
        case when chance_bottom = 1 then 1.0 else 0.0 end::double as bottom_accuracy_worst,
        case when is_read then right_places / n end as place_accuracy,
        chance_place as place_accuracy_chance,
        1.0::double as place_accuracy_best,
        -- A tie of more than half of the places leaves no ranking without some of them right.
        greatest(0, 2 * largest_tie - n) / n as place_accuracy_worst
    from compared
)

select
    subject_id,
    task,
    debate_key,
    count(*) as n_answers,
    count(*) filter (is_read) as n_read,
    sum(n_values)::bigint as n_values,
    sum(n_places)::bigint as n_places,
{% for name in ranking_measures() | map(attribute='name') %}
    avg(
        case when is_random and {{ name }} is not null then {{ name }}_chance else {{ name }} end
    ) as {{ name }},
    avg({{ name }}_chance) filter ({{ name }} is not null) as {{ name }}_chance,
    avg(coalesce({{ name }}, {{ name }}_best)) as {{ name }}_best,
    avg(coalesce({{ name }}, {{ name }}_worst)) as {{ name }}_worst{{ ',' if not loop.last }}
{% endfor %}
from measured
group by subject_id, task, debate_key
