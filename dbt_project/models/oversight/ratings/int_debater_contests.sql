{#
What each judge made of each finished transcript, in each order of the answers. Repeats are averaged;
the orders of one transcript weigh 1 together, so that every transcript counts once. A judge that chose
among a debater's candidates is asked to like what it chose: it has no part in ratings.
#}
with

answers as (
    select *
    from {{ ref('int_oversight_answers') }}
    where is_counted and is_final and probe = 'none' and transcript_id is not null
),

transcripts as (
    select *
    from {{ ref('int_oversight_transcripts') }}
    where source = 'model' and status = 'complete' and not is_stale
),

words as (
    select response_id, argued_answer, sum(word_count)::double as word_count
    from {{ ref('stg_raw__oversight_turns') }}
    where is_chosen and argued_answer is not null
    group by response_id, argued_answer
),

judged as (
    select
        {{ key_of(
            ['answers.setting_id', 'transcripts.debate_setting', 'transcripts.is_interactive']
        ) }}
            as field_id,
        answers.dataset_id,
        answers.judge_id,
        answers.template as judge_template,
        answers.asked_for,
        transcripts.debate_setting,
        transcripts.debater_template,
        transcripts.turn_order,
        transcripts.is_interactive,
        transcripts.round_count,
        transcripts.word_limit,
        transcripts.best_of,
        transcripts.preference_judge_id,
        transcripts.refine_count,
        transcripts.asker_id,
        transcripts.tournament,
        transcripts.tournament_round,
        transcripts.transcript_id,
        transcripts.response_id,
        transcripts.question_id,
        transcripts.cluster_id,
        transcripts.protocol,
        transcripts.right_answer,
        transcripts.is_self_play,
        case
            when transcripts.protocol = 'debate' then transcripts.debater_0
            when transcripts.argued_answer = 0 then transcripts.debater
        end as debater_0,
        case
            when transcripts.protocol = 'debate' then transcripts.debater_1
            when transcripts.argued_answer = 1 then transcripts.debater
        end as debater_1,
        answers.answer_order,
        case
            when answers.answer_status not in ('parsed', 'supplied') then null
            when answers.asked_for = 'choice' and answers.choice is not null
                then 1.0 - answers.choice
            when answers.p_answer_0 is not null then 0.5 + 0.5 * sign(answers.p_answer_0 - 0.5)
        end::double as share_0,
        case
            when answers.answer_status in ('parsed', 'supplied')
                then coalesce(answers.p_answer_0, 1.0 - answers.choice)
        end as p_answer_0
    from answers
    inner join transcripts using (transcript_id)
),

orders as (
    select
        * exclude (share_0, p_answer_0),
        avg(share_0) as share_0,
        avg(p_answer_0) as p_answer_0,
        count(*) as n_judgements,
        count(*) - count(share_0) as failed_count
    from judged
    group by all
),

used as (
    select
        orders.*,
        case
            when share_0 is not null
                then 1.0 / count(share_0) over (partition by field_id, transcript_id)
        end as weight,
        log2(nullif(first_side.word_count, 0) / nullif(second_side.word_count, 0))
            as log2_length_ratio,
        case
            when preference_judge_id = judge_id then 'chosen_by_judge'
            when protocol = 'consultancy' then 'consultancy'
            when is_self_play then 'accuracy'
            else 'rating'
        end as used_for
    from orders
    left join words as first_side
        on orders.response_id = first_side.response_id and first_side.argued_answer = 0
    left join words as second_side
        on orders.response_id = second_side.response_id and second_side.argued_answer = 1
),

rated as (
    select distinct field_id, question_id
    from used
    where used_for = 'rating' and share_0 is not null
)

select
    used.* replace (
        case
            when used_for = 'accuracy' and rated.question_id is not null then 'shared_question'
            else used_for
        end as used_for
    )
from used
left join rated using (field_id, question_id)
