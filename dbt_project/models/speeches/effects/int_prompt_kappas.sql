{#
For every pair of annotators and pair of prompts: the kappas of the two substitutions with reasons first
and without, on the pair's shared items that the judge scored under both.
#}
with

scores as (
    select
        prompt_items.prompt_pair_id,
        shared_items.* exclude (dataset_id, dimension, item_id),
        prompt_items.score_plain as plain,
        prompt_items.score_justified as justified
    from {{ ref('int_prompt_items') }} as prompt_items
    inner join {{ ref('int_prompt_pairs') }} as prompt_pairs using (prompt_pair_id)
    inner join {{ ref('int_shared_ratings') }} as shared_items
        on
            prompt_pairs.dataset_id = shared_items.dataset_id
            and prompt_pairs.dimension = shared_items.dimension
            and prompt_items.item_id = shared_items.item_id
    where prompt_items.is_scored_by_both
),

sums as (
    select
        prompt_pair_id,
        panel_index,
        annotator_a,
        annotator_b,
        count(*) as n_shared,
        {% for side in ['plain', 'justified', 'a', 'b'] %}
            sum({{ side }}) as sum_{{ side }},
            min({{ side }}) as min_{{ side }},
            max({{ side }}) as max_{{ side }},
        {% endfor %}
        {% for side in ['plain', 'justified'] %}
            {% for person in ['a', 'b'] %}
                sum(({{ side }} - {{ person }}) ^ 2) as differences_{{ side }}_{{ person }},
                sum({{ side }} ^ 2 + {{ person }} ^ 2) as squares_{{ side }}_{{ person }},
            {% endfor %}
        {% endfor %}
    from scores
    group by all
)

select
    prompt_pair_id,
    panel_index,
    annotator_a,
    annotator_b,
    n_shared,
    {% for side in ['plain', 'justified'] %}
        {% for person in ['a', 'b'] %}
            {{ quadratic_kappa(
                'n_shared', 'differences_' ~ side ~ '_' ~ person, 'squares_' ~ side ~ '_' ~ person,
                'sum_' ~ side, 'sum_' ~ person, 'min_' ~ side, 'max_' ~ side
            ) }} as {{ side }}_{{ person }},
        {% endfor %}
    {% endfor %}
from sums
