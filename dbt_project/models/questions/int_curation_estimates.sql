{#
Every mean and share of a curation, over what was observed of each question. A removed partial answer
is one that more than half of its annotators said no of.
#}
with

chunks as (select * from {{ loaded('curation_chunks') }}),

pairs as (select * from {{ loaded('curation_pairs') }}),

observed as (
    select dataset_id, question_id, 'chunk_similarity' as measure, similarity as value
    from chunks
    union all
    select dataset_id, question_id, 'question_similarity' as measure, avg(similarity) as value
    from chunks
    group by dataset_id, question_id
    union all
    select dataset_id, question_id, 'nearest_similarity' as measure, nearest_similarity as value
    from chunks
    union all
    select dataset_id, question_id, 'coverage' as measure, is_covered::int as value
    from chunks
    union all
    select dataset_id, question_id, 'pair_similarity' as measure, similarity as value
    from pairs
    union all
    select dataset_id, question_id, 'distinctness' as measure, is_distinct::int as value
    from pairs
    union all
    select dataset_id, question_id, 'passed_' || task as measure, (label_share >= 0.5)::int as value
    from {{ ref('int_curation_labels') }}
),

questions as (
    select dataset_id, measure, question_id, count(*) as n, sum(value) as total
    from observed
    where value is not null
    group by dataset_id, measure, question_id
)

select
    dataset_id,
    measure,
    count(*) as n_questions,
    sum(n)::bigint as n,
    sum(total) / sum(n) as estimate,
    {{ half_width_over_clusters('total', 'n') }} as half_width
from questions
group by dataset_id, measure
