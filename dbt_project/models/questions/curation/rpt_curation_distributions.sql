{#
How often each value is found: of questions, of documents, or of examined chunks. Shares are clustered
by question; with counts k of a value and m of all in a question, the sum of (k - share m)^2 comes
from the sums of k^2, k m and m^2, so that questions without the value need no rows.
#}
with

questions as (select * from {{ ref('dim_question') }}),

observed as (
    select
        dataset_id,
        question_id,
        'documents_per_question' as quantity,
        document_count::varchar as value,
        document_count::double as place, document_count::double as number
    from questions
    union all
    select
        dataset_id,
        question_id,
        'perspectives_per_question' as quantity,
        partial_answer_count::varchar as value,
        partial_answer_count::double as place, partial_answer_count::double as number
    from questions
    union all
    select
        dataset_id,
        question_id,
        'domain' as quantity,
        coalesce(domain, 'unknown') as value,
        null as place,
        null as number
    from questions
    union all
    select
        dataset_id,
        question_id,
        'origin' as quantity,
        coalesce(origin, 'unknown') as value,
        null as place,
        null as number
    from questions
    union all
    select
        dataset_id,
        question_id,
        'top_level_domain' as quantity,
        coalesce('.' || top_level_domain, 'unknown') as value,
        null as place, null as number
    from {{ loaded('documents') }}
    where question_id is not null
    union all
    select
        dataset_id, question_id, 'chunk_similarity' as quantity,
        format('{:.1f}', least(floor(round(similarity, 9) * 10) / 10, 0.9)) as value,
        least(floor(round(similarity, 9) * 10) / 10, 0.9) as place, similarity as number
    from {{ loaded('curation_chunks') }}
),

of_questions as (
    select dataset_id, quantity, question_id, count(*) as n, sum(number) as total
    from observed
    group by dataset_id, quantity, question_id
),

sizes as (
    select
        dataset_id,
        quantity,
        count(*) as n_questions,
        sum(n)::bigint as n_total,
        sum(n * n) as squares,
        sum(total) / sum(n) as mean_value,
        {{ half_width_over_clusters('total', 'n') }} as mean_half_width
    from of_questions
    group by dataset_id, quantity
),

found as (
    select dataset_id, quantity, question_id, value, any_value(place) as place, count(*) as n
    from observed
    group by dataset_id, quantity, question_id, value
),

counted as (
    select
        found.dataset_id,
        found.quantity,
        found.value,
        any_value(found.place) as place,
        sum(found.n)::bigint as n,
        sum(found.n) / any_value(sizes.n_total) as share,
        sum(found.n * found.n) as own_squares,
        sum(found.n * of_questions.n) as crossed,
        {{ alike_in_group(['squares', 'n_total', 'n_questions'], of='sizes') }}
    from found
    inner join of_questions using (dataset_id, quantity, question_id)
    inner join sizes using (dataset_id, quantity)
    group by found.dataset_id, found.quantity, found.value
),

spread as (
    select
        *,
        n_questions / nullif(n_questions - 1.0, 0)
        * greatest(own_squares - 2 * share * crossed + share * share * squares, 0)
        / (n_total * n_total::double) as variance
    from counted
),

halved as (
    select *, {{ clustered_half_width('variance', 'n_questions') }} as half_width
    from spread
)

select
    halved.dataset_id,
    halved.quantity,
    halved.value,
    rank() over (
        partition by halved.dataset_id, halved.quantity
        order by halved.place asc nulls last, halved.n desc, halved.value asc
    ) as value_order,
    halved.n,
    halved.n_total,
    halved.n_questions,
    halved.share,
    {{ share_ends('halved.share', 'halved.half_width', 'halved.n_questions') }},
    sizes.mean_value,
    {{ ends('sizes.mean_value', 'sizes.mean_half_width', 'mean') }},
    case
        {{ when_too_few('halved.n_questions', 'questions') }}
    end as reason
from halved
inner join sizes using (dataset_id, quantity)
