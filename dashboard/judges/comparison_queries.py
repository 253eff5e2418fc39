"""The questions the page about two judges puts to the published marts."""

from dashboard.core.data import query

# Which kinds of comparison there are, per data set and experiment; the default first.
choices = query("""
with kinds as (
    select
        dataset_id, experiment, comparison, count(*) as pair_count,
        list_position(['judge', 'template', 'labels', 'outcome', 'reasoning', 'human'], comparison)
            as place
    from rpt_verdict_comparison
    group by dataset_id, experiment, comparison
)
select
    kinds.*,
    coalesce(dim_dataset.title, kinds.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample,
    starts_with(kinds.dataset_id, 'published:') as is_published
from kinds
left join dim_dataset on kinds.dataset_id = dim_dataset.dataset_id
order by is_published, is_sample, kinds.dataset_id, kinds.experiment, kinds.place""")

# Which two judges are compared, those on most debates first. The first is the default, which must
# not be chosen for the size of its difference.
judges = query("""
select judge_a, judge_b, max(n_units) as most_units
from rpt_verdict_comparison
where dataset_id = $dataset
    and experiment = $experiment
    and comparison = $comparison
group by judge_a, judge_b
order by most_units desc nulls last, judge_a, judge_b""")

# Every comparison of two judges, or of one judge with itself; that on most debates first, then by
# how they were asked. The first is the default.
pairs = query("""
select
    rpt_verdict_comparison.*,
    asked_a.template as template_a, asked_a.verbalizer as verbalizer_a,
    asked_a.position as position_a, asked_a.outcome as outcome_a,
    asked_b.template as template_b, asked_b.verbalizer as verbalizer_b,
    asked_b.position as position_b, asked_b.outcome as outcome_b
from rpt_verdict_comparison
left join dim_variant as asked_a on rpt_verdict_comparison.variant_a = asked_a.variant_id
left join dim_variant as asked_b on rpt_verdict_comparison.variant_b = asked_b.variant_id
where rpt_verdict_comparison.dataset_id = $dataset
    and rpt_verdict_comparison.experiment = $experiment
    and rpt_verdict_comparison.comparison = $comparison
    and rpt_verdict_comparison.judge_a = $first
    and rpt_verdict_comparison.judge_b = $second
order by rpt_verdict_comparison.difference is null, rpt_verdict_comparison.n_units desc nulls last,
    asked_a.template, asked_a.verbalizer, asked_a.position, asked_a.outcome desc,
    rpt_verdict_comparison.variant_a, rpt_verdict_comparison.variant_b""")

# How far two judges agree beyond chance, asked in one way: one row, or none.
agreement = query("""
select *
from rpt_judge_agreement
where scope = 'pair'
    and dataset_id = $dataset
    and experiment = $experiment
    and variant_id = $variant
    and list_sort([judge_a, judge_b]) = list_sort([$first, $second])""")

# How far both judges agree with the people who said who won, and people with each other.
people = query("""
select
    rpt_verdict_people.*, dim_variant.template, dim_variant.verbalizer, dim_variant.position,
    dim_variant.outcome
from rpt_verdict_people
left join dim_variant on rpt_verdict_people.variant_id = dim_variant.variant_id
where rpt_verdict_people.dataset_id = $dataset
    and (
        experiment = $experiment and list_contains($judges, judge_id) or judge_id = 'human'
    )
order by is_human, judge_id, rpt_verdict_people.variant_id,
    list_position(['majority', 'each person'], compared_with) nulls last, compared_with""")

# The biases of both sides: each judge's tests, then the ways that are compared.
# Two ways of asking one judge share its tests, which tell nothing of their difference.
effects = query("""
select
    rpt_bias_battery.*,
    asked_a.verbalizer as verbalizer_a, asked_b.verbalizer as verbalizer_b,
    asked_a.position as position_a, asked_b.position as position_b
from rpt_bias_battery
left join dim_variant as asked_a on rpt_bias_battery.variant_a = asked_a.variant_id
left join dim_variant as asked_b on rpt_bias_battery.variant_b = asked_b.variant_id
where rpt_bias_battery.dataset_id = $dataset
    and rpt_bias_battery.experiment = $experiment
    and list_contains($judges, rpt_bias_battery.judge_id)
    and rpt_bias_battery.family = 'contrasts'
    and (
        (rpt_bias_battery.role = 'test' and len(list_distinct($judges)) > 1)
        or list_contains($variants, rpt_bias_battery.variant_a)
        or list_contains($variants, rpt_bias_battery.variant_b)
    )
order by
    list_position(['test', 'arm', 'description'], rpt_bias_battery.role),
    abs(rpt_bias_battery.share_change) desc nulls last, rpt_bias_battery.judge_id,
    rpt_bias_battery.template, rpt_bias_battery.bias, rpt_bias_battery.contrast,
    rpt_bias_battery.variant_a nulls first""")
