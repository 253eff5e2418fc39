{#
The paper averages "the cosine similarities for each question and corresponding chunks": over all chunks
alike, or question by question. Both are here.
#}
with

examined as (
    select dataset_id, is_done, embedder
    from {{ ref('stg_raw__curation_steps') }}
    where step = 'examination'
),

estimates as (select * from {{ ref('int_curation_estimates') }}),

chunks as (
    select dataset_id, count(distinct document_id) as n_documents, count(*) as n_chunks
    from {{ loaded('curation_chunks') }}
    group by dataset_id
),

printed as (
    select max(value::double) as published_value
    from {{ ref('debateqa_prose') }}
    where fact = 'mean_cosine_similarity'
),

averaged (averaged_over, measure) as (
    values ('chunks', 'chunk_similarity'), ('questions', 'question_similarity')
)

select
    examined.dataset_id,
    averaged.averaged_over,
    coalesce(estimates.n_questions, 0)::bigint as n_questions,
    coalesce(chunks.n_documents, 0)::bigint as n_documents,
    coalesce(chunks.n_chunks, 0)::bigint as n_chunks,
    estimates.estimate as mean_similarity,
    {{ clipped_ends('estimates.estimate', 'estimates.half_width', -1, 1, 'mean_similarity') }},
    printed.published_value,
    examined.embedder,
    case
        when not examined.is_done then 'the documents have not been examined'
        when estimates.estimate is null then 'no document to examine'
        {{ when_too_few('estimates.n_questions', 'questions') }}
        when estimates.half_width is null then 'every question has the same value'
    end as reason
from examined
cross join averaged
cross join printed
left join chunks using (dataset_id)
left join
    estimates
    on examined.dataset_id = estimates.dataset_id and averaged.measure = estimates.measure
