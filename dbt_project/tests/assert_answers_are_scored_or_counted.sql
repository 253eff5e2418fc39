-- No answer is dropped silently: those with a score and those without, by reason, add up to all of
-- them.
select setting_id, metric, evaluator_id, evaluator_template
from {{ ref('rpt_debateqa_leaderboard') }}
where
    n_scored + unanswered_count + empty_count + overflow_count + unparsed_count + not_finite_count
    + no_partial_answers_count + not_scored_count + other_count != n_answers
    or other_count < 0
    or n_questions > n_scored
