{#
Verdicts as they are counted: repeats of one judge on one transcript, or on one question without any, are
averaged first. What was changed in a probe is there for the contrasts alone.
#}
with

everybody as (
    {{ judgements_of_everybody('is_final') }}
)

select
    {{ key_of(oversight_keys()) }} as arm_id,
    {{ key_of(oversight_keys(['judge_id'])) }} as variant_id,
    {{ oversight_keys() | join(', ') }},
    judge_id = {{ human() }} as is_pooled,
    bool_and(is_main_order) as is_main_order,
    bool_and(is_headline) as is_headline,
    unit_judge_id,
    unit_id,
    question_id,
    transcript_id,
    cluster_id,
    is_honest,
    probe,
    probed_answer,
    right_answer,
    source,
    count(lean) as n_answers,
    count(*) - count(lean) as failed_count,
    count(*) filter (where is_tie) as tie_count,
    coalesce(bool_or(is_shared_room), false) as is_shared_room,
    avg(p_answer_0) as p_answer_0,
    avg(p_right) as p_right,
    avg(lean) as lean,
    avg(right_score) as right_score
from everybody
group by
    {{ oversight_keys() | join(', ') }},
    unit_judge_id,
    unit_id,
    question_id,
    transcript_id,
    cluster_id,
    is_honest, probe, probed_answer, right_answer, source
