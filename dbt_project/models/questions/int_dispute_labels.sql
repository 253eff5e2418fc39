with

labels as (
    select item_id as answer_id, annotator_id, value
    from {{ ref('stg_raw__human_ratings') }}
    where dimension = {{ dispute_awareness() }}
),

answers as (
    select answer_id, dataset_id, question_id
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
)

select
    answers.dataset_id,
    answers.question_id,
    labels.answer_id,
    count(*) as n_annotators,
    list(labels.annotator_id order by labels.annotator_id) as annotators,
    avg(labels.value) as label_share,
    case when avg(labels.value) != 0.5 then (avg(labels.value) > 0.5)::bigint end as label
from labels
inner join answers using (answer_id)
group by answers.dataset_id, answers.question_id, labels.answer_id
