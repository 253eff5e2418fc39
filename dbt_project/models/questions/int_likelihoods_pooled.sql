{#
An answer's figure needs every perspective of its question, so one that is missing leaves it unknown:
a mean over the rest would reward it.
#}
with

likelihoods as (
    select * from {{ ref('int_likelihoods_current') }} where is_current
),

answers as (
    select answer_id, dataset_id, question_id
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
),

expected as (
    select question_id, count(*) as n_partial_answers
    from {{ loaded('partial_answers') }}
    group by question_id
),

pooled as (
    select
        answer_id,
        metric,
        judge_id as evaluator_id,
        template as evaluator_template,
        min(wording) filter (where not is_stale) as evaluator_wording,
        count(*) filter (where not is_stale) as n_found,
        count(*) filter (where not is_stale and status = 'scored') as n_scored,
        count(*) filter (where is_stale) as stale_count,
        min(status) filter (where not is_stale and status != 'scored') as failure,
        max(answer_token_count) filter (where not is_stale) as answer_token_count,
        {% for name, formula in {
            'value_mean': 'avg(value)',
            'pd_sum': 'sum(exp(-logprob_sum / nullif(token_count, 0)))',
            'pd_mean': 'avg(exp(-logprob_sum / nullif(token_count, 0)))',
            'pd_released':
                'avg(exp(-logprob_sum / nullif(context_token_count + token_count - 1, 0)))',
            'logprob_mean': 'avg(logprob_sum)',
            'logprob_per_token_mean': 'avg(logprob_sum / nullif(token_count, 0))',
            'tokens_mean': 'avg(token_count)',
        }.items() %}
        {{ formula }} filter (
            where not is_stale and status = 'scored'
        )
            as {{ name }}{{ ',' if not loop.last }}
    {% endfor %}
    from likelihoods
    group by answer_id, metric, judge_id, template
),

reasoned as (
    select
        answers.dataset_id,
        answers.question_id,
        pooled.*,
        coalesce(expected.n_partial_answers, 0) as n_partial_answers,
        case
            when coalesce(expected.n_partial_answers, 0) = 0 then 'no_partial_answers'
            when pooled.failure is not null then pooled.failure
            when pooled.n_found = 0 then 'stale'
            when pooled.n_found < expected.n_partial_answers then 'not_scored'
        end as reason
    from pooled
    inner join answers using (answer_id)
    left join expected using (question_id)
)

select
    * exclude (
        n_found, failure, value_mean, pd_sum, pd_mean, pd_released, logprob_mean,
        logprob_per_token_mean, tokens_mean
    ),
    {% for name in [
        'value_mean', 'pd_sum', 'pd_mean', 'logprob_mean', 'logprob_per_token_mean', 'tokens_mean'
    ] %}
        case when reason is null then {{ name }} end as {{ name }},
    {% endfor %}
    case when reason is null and evaluator_template = 'pd_none' then pd_released end as pd_released
from reasoned
