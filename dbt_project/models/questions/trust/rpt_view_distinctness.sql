with

examined as (
    select dataset_id, is_done, embedder
    from {{ ref('stg_raw__curation_steps') }}
    where step = 'examination'
),

distinctness as (select * from {{ ref('int_curation_estimates') }} where measure = 'distinctness'),

similarity as (select * from {{ ref('int_curation_estimates') }} where measure = 'pair_similarity'),

pairs as (
    select
        dataset_id,
        count(*) as n_pairs,
        count(*) filter (is_distinct) as n_distinct,
        count(distinct question_id) filter (not is_distinct) as similar_question_count
    from {{ loaded('curation_pairs') }}
    group by dataset_id
)

select
    examined.dataset_id,
    coalesce(distinctness.n_questions, 0)::bigint as n_questions,
    {{ or_zero(['n_pairs', 'n_distinct', 'similar_question_count'], of='pairs', type='bigint') }},
    distinctness.estimate as distinct_share,
    {{ share_ends(
        'distinctness.estimate', 'distinctness.half_width', 'distinctness.n_questions',
        'distinct_share'
    ) }},
    similarity.estimate as mean_similarity,
    {{ clipped_ends('similarity.estimate', 'similarity.half_width', -1, 1, 'mean_similarity') }},
    examined.embedder,
    case
        when not examined.is_done then 'the points of view have not been examined'
        when pairs.n_pairs is null then 'no two points of view of one question'
        {{ when_too_few('distinctness.n_questions', 'questions') }}
    end as reason
from examined
left join pairs using (dataset_id)
left join distinctness using (dataset_id)
left join similarity using (dataset_id)
