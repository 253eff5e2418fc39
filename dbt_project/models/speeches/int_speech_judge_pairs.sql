{#
Two judges asked alike: which agrees more with people on the speeches that both have scored? A tau-c
differs by topics (its jackknife, both without the same topics), a mean kappa by annotators (its
bootstrap, the same draws for both). A pair that shares less than what a judge needs to be named has no
p, and so is not told apart.
#}
{%- set is_enough -%}
    {{ shares_enough('n_shared', 'n_units') }} and {{ spread('standard_error') }} > 0
{%- endset %}
with

grounds as (select * from {{ ref('int_judge_grounds') }}),

taus as (
    select
        statistics.ground_index,
        statistics.judge_index,
        jackknifed.group_index,
        statistics.tau_c,
        jackknifed.tau_c as left_out
    from {{ ref('int_rank_statistics') }} as statistics
    inner join {{ ref('int_rank_jackknifed') }} as jackknifed using (series_index)
    where statistics.role = {{ pooled_on_ground() }}
),

of_taus as (
    select
        grounds.dataset_id,
        grounds.dimension,
        grounds.template,
        null::bigint as min_shared_items,
        'tau_c' as measure,
        grounds.judge_a,
        grounds.judge_b,
        grounds.n_shared,
        any_value(one.tau_c - other.tau_c) as difference,
        count(*) as n_units,
        sqrt((count(*) - 1) * var_pop(one.left_out - other.left_out)) as standard_error
    from grounds
    inner join taus as one
        on grounds.ground_index = one.ground_index and grounds.index_a = one.judge_index
    inner join taus as other
        on
            grounds.ground_index = other.ground_index
            and grounds.index_b = other.judge_index
            and one.group_index = other.group_index
    group by all
),

kappas as (select * from {{ ref('int_kappas_on_grounds') }}),

of_kappas as (
    select
        grounds.dataset_id,
        grounds.dimension,
        grounds.template,
        one.min_shared_items::bigint as min_shared_items,
        'mean_kappa' as measure,
        grounds.judge_a,
        grounds.judge_b,
        grounds.n_shared,
        any_value(one.mean_kappa - other.mean_kappa) filter (one.replicate = 0) as difference,
        any_value(least(one.n_units, other.n_units)) as n_units,
        stddev_samp(one.mean_kappa - other.mean_kappa) filter (one.replicate > 0) as standard_error
    from grounds
    inner join kappas as one
        on grounds.ground_index = one.ground_index and grounds.index_a = one.judge_index
    inner join kappas as other
        on
            grounds.ground_index = other.ground_index
            and grounds.index_b = other.judge_index
            and one.min_shared_items = other.min_shared_items
            and one.replicate = other.replicate
    group by all
)

select
    *,
    case
        when {{ is_enough }}
            then student_t_two_sided(difference / standard_error, (n_units - 1)::double)
    end as p
from of_taus
union all by name
select
    *,
    case
        when {{ is_enough }}
            then normal_two_sided(difference / standard_error)
    end as p
from of_kappas
