{# What a judge answered about an item with reasons first and without, where it was asked both. #}
{% set measures = ['score', 'unparsed_share', 'tokens_out', 'cost_usd'] %}
with

item_answers as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        item_id,
        debate_id,
        count(*) as n_answers,
        avg(value) as score,
        avg((value is null)::integer) filter (is_answered) as unparsed_share,
        avg(tokens_out) as tokens_out,
        avg(cost_usd) as cost_usd
    from {{ ref('int_answers_pooled') }}
    group by all
)

select
    pairs.prompt_pair_id,
    plain.item_id,
    plain.debate_id,
    plain.n_answers as n_answers_plain,
    justified.n_answers as n_answers_justified,
    {% for measure in measures %}
        plain.{{ measure }} as {{ measure }}_plain,
        justified.{{ measure }} as {{ measure }}_justified,
    {% endfor %}
    plain.score is not null and justified.score is not null as is_scored_by_both
from {{ ref('int_prompt_pairs') }} as pairs
inner join item_answers as plain
    on
        pairs.dataset_id = plain.dataset_id
        and pairs.dimension = plain.dimension
        and pairs.judge_id = plain.judge_id
        and pairs.template_plain = plain.template
inner join item_answers as justified
    on
        pairs.dataset_id = justified.dataset_id
        and pairs.dimension = justified.dimension
        and pairs.judge_id = justified.judge_id
        and pairs.template_justified = justified.template
        and plain.item_id = justified.item_id
