{#
For every pair of annotators and pair of prompts: the kappas of the two substitutions with reasons first
and without, on the pair's shared items that the judge scored under both.
#}
with

pairs as (select * from {{ ref('int_annotator_pairs') }}),

ratings as (select * from {{ ref('int_ratings_indexed') }}),

scores as (
    select
        prompt_items.prompt_pair_id,
        rated.panel_index,
        rated.item_index,
        prompt_items.score_plain as plain,
        prompt_items.score_justified as justified
    from {{ ref('int_prompt_items') }} as prompt_items
    inner join {{ ref('int_prompt_pairs') }} as prompt_pairs using (prompt_pair_id)
    inner join (
        select distinct dataset_id, dimension, item_id, panel_index, item_index from ratings
    ) as rated
        on
            prompt_pairs.dataset_id = rated.dataset_id
            and prompt_pairs.dimension = rated.dimension
            and prompt_items.item_id = rated.item_id
    where prompt_items.is_scored_by_both
),

shared_items as (
    select
        pairs.panel_index,
        pairs.annotator_a,
        pairs.annotator_b,
        first_ratings.item_index,
        first_ratings.value as a,
        second_ratings.value as b
    from pairs
    inner join ratings as first_ratings
        on
            pairs.panel_index = first_ratings.panel_index
            and pairs.annotator_a = first_ratings.annotator_index
    inner join ratings as second_ratings
        on
            pairs.panel_index = second_ratings.panel_index
            and pairs.annotator_b = second_ratings.annotator_index
            and first_ratings.item_index = second_ratings.item_index
),

sums as (
    select
        scores.prompt_pair_id,
        shared_items.panel_index,
        shared_items.annotator_a,
        shared_items.annotator_b,
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
    from shared_items
    inner join scores using (panel_index, item_index)
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
