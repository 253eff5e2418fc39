{#
Paired differences of means over items, clustered by topic: score, share of unreadable answers, tokens
and cost. The ratio of two means has the linearised interval of a ratio estimator.
#}
{% set measures = ['score', 'unparsed_share', 'tokens_out', 'cost_usd'] %}
with

long as (
    {% for measure in measures %}
        select
            prompt_pair_id, debate_id, n_answers_plain, n_answers_justified,
            '{{ measure }}' as measure,
            {{ measure }}_plain::double as plain,
            {{ measure }}_justified::double as justified
        from {{ ref('int_prompt_items') }} as items
        where {{ measure }}_plain is not null and {{ measure }}_justified is not null
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

topics as (
    select
        prompt_pair_id,
        measure,
        debate_id,
        count(*) as n_items,
        sum(n_answers_plain) as n_answers_plain,
        sum(n_answers_justified) as n_answers_justified,
        sum(plain) as plain_sum,
        sum(justified) as justified_sum
    from long
    group by all
)

select
    prompt_pair_id,
    measure,
    sum(n_items)::bigint as n_items,
    count(*) as n_units,
    sum(n_answers_plain)::bigint as n_answers_plain,
    sum(n_answers_justified)::bigint as n_answers_justified,
    sum(plain_sum) / sum(topics.n_items) as plain,
    sum(justified_sum) / sum(topics.n_items) as justified,
    justified - plain as difference,
    {{ half_width_over_clusters('justified_sum - plain_sum', 'topics.n_items') }} as half_width,
    sum(justified_sum) / nullif(sum(plain_sum), 0) as ratio,
    {{ half_width_over_clusters('justified_sum', 'plain_sum') }} as ratio_half_width
from topics
group by prompt_pair_id, measure
