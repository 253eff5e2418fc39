{#
95 % jackknife intervals over topics for every estimate, and for the difference between a judge and
the humans on the same items. Each deletion recomputes the whole estimate: a series that has no
observation in the deleted group keeps its value.
#}
with

series as (
    select * from {{ ref('int_rank_statistics') }} where failure_rule = {{ excluded() }}
),


present as (
    select distinct judge_series.dataset_id, judge_series.dimension, judge_series.judge_id,
        judge_series.template, jackknifed.group_index
    from {{ ref('int_rank_jackknifed') }} as jackknifed
    inner join series as judge_series using (series_id)
),

replicated_series as (
    select
        series.dataset_id,
        series.dimension,
        series.judge_id,
        series.template,
        series.role,
        present.group_index,
        coalesce(jackknifed.tau_c, series.tau_c) as tau_c,
        coalesce(jackknifed.tau_b, series.tau_b) as tau_b,
        coalesce(jackknifed.pearson, series.pearson) as pearson,
        coalesce(spearman_jackknifed.spearman, series.spearman) as spearman
    from series
    inner join present using (dataset_id, dimension, judge_id, template)
    left join {{ ref('int_rank_jackknifed') }} as jackknifed
        on series.series_id = jackknifed.series_id and present.group_index = jackknifed.group_index
    left join {{ ref('int_spearman_jackknifed') }} as spearman_jackknifed
        on
            series.series_id = spearman_jackknifed.series_id
            and present.group_index = spearman_jackknifed.group_index
),

replicates as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        group_index,
        avg(tau_c) filter (role in ('pooled', 'human')) as tau_c,
        avg(tau_b) filter (role in ('pooled', 'human')) as tau_b,
        avg(pearson) filter (role in ('pooled', 'human')) as pearson,
        avg(spearman) filter (role in ('pooled', 'human')) as spearman,
        avg(tau_c) filter (role = 'judge_on_human_items') as tau_c_on_human_items,
        avg(tau_c) filter (role = 'judge_on_human_items')
        - avg(tau_c) filter (role = 'human_on_judged_items') as tau_c_minus_human
    from replicated_series
    group by all
),

variances as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        count(*) as n_groups,
        {% for measure in [
            'tau_c', 'tau_b', 'pearson', 'spearman', 'tau_c_on_human_items', 'tau_c_minus_human'
        ] %}
            var_pop({{ measure }}) as {{ measure }}_variance,
        {% endfor %}
    from replicates
    group by all
)

select
    dataset_id,
    dimension,
    judge_id,
    template,
    n_groups,
    {% for measure in [
        'tau_c', 'tau_b', 'pearson', 'spearman', 'tau_c_on_human_items', 'tau_c_minus_human'
    ] %}
        {{ jackknife_half_width(measure ~ '_variance', 'n_groups') }} as {{ measure }}_half_width,
    {% endfor %}
from variances
