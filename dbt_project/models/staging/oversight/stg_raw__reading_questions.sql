with source as (select * from {{ source('raw', 'reading_questions') }})

select
    question_id,
    dataset_id,
    story_id,
    question,
    answer_0,
    answer_1,
    right_answer::bigint as right_answer,
    options,
    is_best_distractor,
    split,
    is_difficult,
    answerability,
    untimed_accuracy,
    speed_accuracy,
    context_required,
    item_hash,
    removal_rule,
    removal_reason,
    extra
from source
