{# What a judge's answers cost and how many cannot be read, over its runs. #}
with

-- The null among the prompts stands for all of them together.
runs as (
    select
        judge_id,
        unnest(list_append(string_split(template, ', '), null)) as template,
        answered_count,
        unparsed_count,
        cost_usd
    from {{ ref('rpt_run_health') }}
    where answered_count > 0
)

select
    judge_id,
    template,
    sum(answered_count) as answered_count,
    sum(unparsed_count) / sum(answered_count) as unreadable_share,
    case
        when bool_and(cost_usd is not null) then 1000 * sum(cost_usd) / sum(answered_count)
    end as cost_usd_per_1000
from runs
group by judge_id, template
