{#
People look at a question's five chunks nearest to it, and say whether its points of view hold every
side of them.
#}
with

examined as (
    select dataset_id, is_done, embedder
    from {{ ref('stg_raw__curation_steps') }}
    where step = 'examination'
),

coverage as (select * from {{ ref('int_curation_estimates') }} where measure = 'coverage'),

nearest as (select * from {{ ref('int_curation_estimates') }} where measure = 'nearest_similarity'),

chunks as (
    select
        dataset_id,
        count(*) as n_chunks,
        count(is_covered) as n_examined,
        count(*) filter (is_covered) as n_covered
    from {{ loaded('curation_chunks') }}
    where nearest_partial_answer_id is not null
    group by dataset_id
),

printed as (
    select max(value::double) / 100 as published_value
    from {{ ref('debateqa_prose') }}
    where topic = 'pov_quality' and fact = 'coverage'
)

select
    examined.dataset_id,
    coalesce(coverage.n_questions, 0)::bigint as n_questions,
    {{ or_zero(['n_chunks', 'n_examined', 'n_covered'], of='chunks', type='bigint') }},
    coalesce(chunks.n_chunks - chunks.n_examined, 0)::bigint as not_examined_count,
    coverage.estimate as covered_share,
    {{ share_ends(
        'coverage.estimate', 'coverage.half_width', 'coverage.n_questions', 'covered_share'
    ) }},
    nearest.estimate as mean_nearest_similarity,
    {{ clipped_ends('nearest.estimate', 'nearest.half_width', -1, 1, 'mean_nearest_similarity') }},
    printed.published_value,
    examined.embedder,
    case
        when not examined.is_done then 'the points of view have not been examined'
        when chunks.n_chunks is null then 'no chunk to examine'
        when coverage.estimate is null then 'nobody has looked at the chunks'
        {{ when_too_few('coverage.n_questions', 'questions') }}
    end as reason
from examined
cross join printed
left join chunks using (dataset_id)
left join coverage using (dataset_id)
left join nearest using (dataset_id)
