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
    select distinct series.judge_index, jackknifed.group_index
    from {{ ref('int_rank_jackknifed') }} as jackknifed
    inner join series using (series_index)
),

replicated_series as (
    select
        series.judge_index,
        series.role,
        present.group_index,
        coalesce(jackknifed.tau_c, series.tau_c) as tau_c,
        coalesce(jackknifed.tau_b, series.tau_b) as tau_b,
        coalesce(jackknifed.pearson, series.pearson) as pearson,
        coalesce(spearman_jackknifed.spearman, series.spearman) as spearman
    from series
    inner join present using (judge_index)
    left join {{ ref('int_rank_jackknifed') }} as jackknifed
        on
            series.series_index = jackknifed.series_index
            and present.group_index = jackknifed.group_index
    left join {{ ref('int_spearman_jackknifed') }} as spearman_jackknifed
        on
            series.series_index = spearman_jackknifed.series_index
            and present.group_index = spearman_jackknifed.group_index
),

replicates as (
    select
        judge_index,
        group_index,
        avg(tau_c) filter (role in ('pooled', 'human')) as tau_c,
        avg(tau_b) filter (role in ('pooled', 'human')) as tau_b,
        avg(pearson) filter (role in ('pooled', 'human')) as pearson,
        avg(spearman) filter (role in ('pooled', 'human')) as spearman,
        avg(tau_c) filter (role = 'judge_on_human_items') as tau_c_on_human_items,
        avg(tau_c) filter (role = 'human_on_judged_items') as tau_c_of_humans
    from replicated_series
    group by all
),

human_replicates as (
    select judges.panel_index, replicates.group_index, replicates.tau_c
    from replicates
    inner join {{ ref('int_rank_judges') }} as judges using (judge_index)
    where judges.judge_id = {{ human() }}
),

compared as (
    select
        judges.dataset_id,
        judges.dimension,
        judges.judge_id,
        judges.template,
        replicates.*,
        replicates.tau_c_on_human_items
        - case when judges.is_complete then human_replicates.tau_c else tau_c_of_humans end
            as tau_c_minus_human
    from replicates
    inner join {{ ref('int_rank_judges') }} as judges using (judge_index)
    left join human_replicates
        on
            judges.panel_index = human_replicates.panel_index
            and replicates.group_index = human_replicates.group_index
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
    from compared
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
