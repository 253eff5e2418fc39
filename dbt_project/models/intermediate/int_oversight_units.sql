{#
Verdicts as they are counted: repeats of one judge on one transcript, or on one question without any, are
averaged first. All people are there a second time as one judge, and a third with only the rooms of the
paper's analysis. A tournament's transcripts are for ratings; what was changed in a probe is no verdict.
#}
with

judgements as (
    select
        *,
        'all' as selection,
        judge_id as unit_judge_id,
        coalesce(transcript_id, question_id) as unit_id
    from {{ ref('int_oversight_judgements') }}
    where is_final and tournament is null
),

pooled as (
    select * replace ({{ human() }} as judge_id)
    from judgements
    where is_human
),

in_paper as (
    select * replace ('paper' as selection)
    from pooled
    where is_in_paper
),

everybody as (
    select * from judgements
    union all
    select * from pooled
    union all
    select * from in_paper
)

select
    {{ key_of(oversight_keys()) }} as arm_id,
    {{ oversight_keys() | join(', ') }},
    judge_id = {{ human() }} as is_pooled,
    bool_or(is_main_order) as is_main_order,
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
    {{ oversight_keys() | join(', ') }}, unit_judge_id, unit_id, question_id, transcript_id, cluster_id,
    is_honest, probe, probed_answer, right_answer, source
