{# How alike two people rank the answers to one question, over the answers both compared. #}
{% set pair = 'dataset_id, ranking_id, annotator_a, annotator_b' %}
with

strengths as (
    select * from {{ ref('int_preference_strengths') }}
    where ranking_method = 'wins' and scope = 'within_question'
),

shared as (
    select
        one.dataset_id,
        one.ranking_id,
        one.annotator_id as annotator_a,
        other.annotator_id as annotator_b,
        one.strength as strength_a,
        other.strength as strength_b
    from strengths as one
    inner join strengths as other
        on
            one.dataset_id = other.dataset_id
            and one.ranking_id = other.ranking_id
            and one.contestant_id = other.contestant_id
            and one.annotator_id < other.annotator_id
),

placed as (
    select
        *,
        {{ mid_rank('strength_a', pair) }} as place_a,
        {{ mid_rank('strength_b', pair) }} as place_b
    from shared
)

select
    {{ pair }},
    count(*) as n_contestants,
    {{ pearson_from_sums(
        'count(*)', 'sum(place_a)', 'sum(place_b)', 'sum(place_a ^ 2)', 'sum(place_b ^ 2)',
        'sum(place_a * place_b)', '(count(distinct strength_a) > 1 and count(distinct strength_b) > 1)'
    ) }} as spearman
from placed
group by {{ pair }}
