{#
Without the raw text, which may be long and is in dim_response. An answer that two experiments share
must not count twice: of those that asked the same of the same judge one counts, whichever experiment
asked. A question after the last round is the question at the end, whether it says the round or not.
#}
{% set counted -%}
    setting_id, question_id, transcript_id, protocol, step_at, is_final, answer_order, probe,
    probed_answer, sample
{%- endset %}
{% set question = 'experiment, settings_hash, item_hash, prompt_hash, ' ~ counted %}
with

judgements as (select * exclude (response, extra) from {{ ref('stg_raw__oversight_judgements') }}),

questions as (
    select question_id, story_id, right_answer, item_hash as question_hash
    from {{ loaded('reading_questions') }}
),

-- A reply made elsewhere may not say which text it was given; it then holds for the text there is.
told as (
    select
        judgements.* replace (
            judgements.is_final
            or coalesce(judgements.step >= transcripts.round_count, false) as is_final
        ),
        coalesce(least(judgements.step, transcripts.round_count), 0) as step_at,
        coalesce(questions.story_id, judgements.question_id) as cluster_id,
        -- A room has its answers in an order of its own.
        case
            when transcripts.transcript_id is null then questions.right_answer else
                transcripts.right_answer
        end as right_answer,
        questions.question_id is null
        or coalesce(transcripts.is_stale, false)
        or (judgements.transcript_id is not null and transcripts.transcript_id is null)
        or coalesce(
            coalesce(transcripts.transcript_hash, questions.question_hash) != judgements.item_hash,
            false
        ) as is_stale,
        {{ answer_status() }} as answer_status,
        {{ key_of([
            'judgements.judge_id', 'judgements.dataset_id', 'judgements.template',
            'judgements.asked_for'
        ]) }} as setting_id
    from judgements
    left join questions using (question_id)
    left join {{ ref('int_oversight_transcripts') }} as transcripts
        on judgements.transcript_id = transcripts.transcript_id
),

current_answers as (
    {{ asked_again('told', question) }}
),

counted_answers as (
    {{ asked_again('told', 'is_stale, ' ~ counted) }}
)

select
    told.* exclude (item_hash, prompt_hash, step, loaded_at),
    coalesce(current_answers.is_first, true) as is_current,
    not is_stale and coalesce(counted_answers.is_first, true) as is_counted
from told
left join current_answers using (response_id)
left join counted_answers using (response_id)
