"""The questions the tab on the crowd puts to the published marts."""

from __future__ import annotations

from dashboard.core.data import asking, query

_SCORED = "dataset_id = $dataset and dimension = $dimension"

# How many people each chosen judge is worth, the most first, with tau-c and bounds beside.
worth = query("""
with chosen as (
    select
        *,
        case worth_status
            when 'less_than_one' then 'less than one'
            when 'more_than_any' then 'more than any number'
            else printf('%.3g', worth)
        end as in_words
    from rpt_judge_worth
    where dataset_id = $dataset
        and dimension = $dimension
        and list_contains($judges, judge_id)
        and list_contains($templates, template)
),

beside as (
    select
        judge_id,
        template,
        any_value(correlation) filter (measure = 'tau_c' and failure_rule = 'excluded') as tau_c,
        any_value(correlation_low) filter (measure = 'tau_c' and failure_rule = 'excluded')
            as tau_c_low,
        any_value(correlation_high) filter (measure = 'tau_c' and failure_rule = 'excluded')
            as tau_c_high,
        any_value(in_words) filter (measure = 'pearson' and failure_rule = 'nearest')
            as worth_nearest,
        any_value(in_words) filter (measure = 'pearson' and failure_rule = 'farthest')
            as worth_farthest
    from chosen
    group by judge_id, template
)

select chosen.* exclude (in_words), beside.* exclude (judge_id, template)
from chosen
inner join beside using (judge_id, template)
where measure = 'pearson' and failure_rule = 'excluded'
order by
    list_position(
        ['more_than_any', 'interpolated', 'less_than_one', 'undefined'],
        replace(worth_status, 'extrapolated', 'interpolated')
    ),
    worth desc nulls last, correlation desc nulls last, judge_id, template""")

# How the mean of k people goes together with eight others.
curve = asking("rpt_rater_count", "n_raters", f"{_SCORED} and measure = 'pearson'")

# Alpha, ICC and mean kappa of the crowd.
agreement = asking(
    "rpt_crowd_agreement",
    """list_position(
    ['alpha_interval', 'alpha_ordinal', 'icc_1', 'icc_k', 'mean_kappa'], measure
)""",
    """dataset_id = $dataset
    and dimension = $dimension
    and min_shared_items in (1, $min_shared)""",
)

# How each person rates, the harshest first.
raters = asking("rpt_rater_quality", "harshness desc nulls last, annotator_id", _SCORED)
