{#
What a reader has to decide about a judge, each with its answer, what it rests on, what would change it
and what that would cost. A topic is one model, `int_decisions_<topic>`, with the columns below; what the
judge's answers cost is added to each.
#}
{% set topics = ['replacement', 'rate', 'routing', 'drift', 'pressure'] %}
{% set columns = [
    'topic', 'task', 'dataset_id', 'dimension', 'experiment', 'judge_id', 'template', 'variant_id',
    'question', 'answer', 'reason', 'numbers', 'would_change', 'cost',
] %}
with

decisions as (
    {% for topic in topics %}
        select
            columns(* exclude (answers_needed))::varchar, answers_needed::bigint as answers_needed
        from (
            select {{ columns | join(', ') }}, answers_needed
            from {{ ref('int_decisions_' ~ topic) }}
        )
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

prices as (select * from {{ ref('int_judge_prices') }})

select
    {% for column in columns if column != 'cost' %}
        decisions.{{ column }},
    {% endfor %}
    decisions.cost || ' ' || case
        when starts_with(decisions.judge_id, 'ensemble/')
            then 'Each of its answers takes one of every member.'
        when prices.answered_count is null
            then 'What its answers cost is not known: no run here asked it.'
        when prices.cost_usd_per_1000 is null
            then
                'What its answers cost is not known: no price of it was known when it was asked;'
                || ' add one to prices.toml.'
        when prices.cost_usd_per_1000 = 0 then 'Its answers are free of charge.'
        else
            'Its answers cost ' || {{ dollars('prices.cost_usd_per_1000') }} || ' per 1,000'
            || coalesce(
                ', so these about '
                || {{ dollars('prices.cost_usd_per_1000 * decisions.answers_needed / 1000') }},
                ''
            )
            || '.'
    end as cost
from decisions
left join prices
    on
        decisions.judge_id = prices.judge_id
        and decisions.template is not distinct from prices.template
