{#
95 % jackknife intervals over topics for every estimate, and for the difference between a judge and
the humans on the same items, which is over the annotators on whose items both are defined. Each deletion
recomputes the whole estimate: a series that has no observation in the deleted group keeps its value.
#}
with

series as (
    select * from {{ ref('int_rank_statistics') }} where failure_rule = {{ excluded() }}
),

judges as (select * from {{ ref('int_rank_judges') }}),

present as (
    select distinct series.judge_index, jackknifed.group_index
    from {{ ref('int_rank_jackknifed') }} as jackknifed
    inner join series using (series_index)
),

replicated_series as (
    select
        series.series_index,
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
        avg(tau_c) filter (role = 'judge_on_human_items') as tau_c_on_human_items
    from replicated_series
    group by all
),

people as (
    select judges.panel_index, series.*
    from series
    inner join judges using (judge_index)
    where series.role in ('human', 'human_on_judged_items')
),

-- A judge beside each annotator on the same items: the annotator's own, where it has scored all.
paired as (
    select
        series.judge_index,
        series.series_index,
        people.series_index as people_series_index,
        series.tau_c as tau_c_of_judge,
        people.tau_c as tau_c_of_people
    from series
    inner join judges using (judge_index)
    inner join people
        on
            judges.panel_index = people.panel_index
            and series.annotator_index = people.annotator_index
            and case
                when judges.is_complete then people.role = 'human'
                else people.judge_index = series.judge_index
            end
    where series.role = 'judge_on_human_items'
),

differences as (
    select judge_index, avg(tau_c_of_judge - tau_c_of_people) as tau_c_minus_human
    from paired
    group by all
),

replicated_differences as (
    select
        paired.judge_index,
        of_judge.group_index,
        avg(of_judge.tau_c - coalesce(of_people.tau_c, paired.tau_c_of_people))
            as tau_c_minus_human
    from paired
    inner join replicated_series as of_judge using (series_index)
    left join replicated_series as of_people
        on
            paired.people_series_index = of_people.series_index
            and of_judge.group_index = of_people.group_index
    group by all
),

compared as (
    select
        judges.dataset_id,
        judges.dimension,
        judges.judge_id,
        judges.template,
        replicates.*,
        differences.tau_c_minus_human as difference,
        replicated_differences.tau_c_minus_human
    from replicates
    inner join judges using (judge_index)
    left join differences using (judge_index)
    left join replicated_differences using (judge_index, group_index)
)

select
    dataset_id,
    dimension,
    judge_id,
    template,
    count(*) as n_groups,
    any_value(difference) as tau_c_minus_human,
    {% for measure in [
        'tau_c', 'tau_b', 'pearson', 'spearman', 'tau_c_on_human_items', 'tau_c_minus_human'
    ] %}
        {{ jackknife_half_width('var_pop(compared.' ~ measure ~ ')', 'count(*)') }}
            as {{ measure }}_half_width,
    {% endfor %}
from compared
group by all
