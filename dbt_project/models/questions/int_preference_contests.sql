{#
The same preferences twice: between answers within a question, and between settings over all of
them.
#}
select
    'within_question' as scope,
    dataset_id,
    annotator_id,
    question_id as ranking_id,
    answer_a as contestant_a,
    answer_b as contestant_b,
    share_a
from {{ ref('int_preferences_current') }}
union all
select
    'all_questions' as scope,
    dataset_id,
    annotator_id,
    'all' as ranking_id,
    setting_a as contestant_a,
    setting_b as contestant_b,
    share_a
from {{ ref('int_preferences_current') }}
where setting_a != setting_b
