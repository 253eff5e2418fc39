{#
What models wrote and what people said in rooms, side by side. A room's answers are pro (0) and con (1).
#}
with

written as (select * from {{ ref('int_oversight_requests') }} where is_counted),

sides as (
    select
        debate_id,
        case when count(distinct side) = 1 then case min(side) when 'pro' then 0 else 1 end end
            as only_answer,
        count(distinct round) filter (where side is not null) as round_count
    from {{ ref('stg_raw__speeches') }}
    group by debate_id
),

live as (
    select debate_id, count(distinct judge_id) as live_judge_count
    from {{ loaded('human_verdicts') }}
    where mode = 'live'
    group by debate_id
),

measured as (select debate_id, debate_hash from {{ ref('int_debates_measured') }}),

rooms as (
    select
        debates.*,
        case when json_valid(debates.extra) then debates.extra::json end as told,
        sides.only_answer,
        coalesce(debates.round_count, sides.round_count, 0) as rounds,
        coalesce(live.live_judge_count, 0) as live_judge_count,
        measured.debate_hash
    from {{ ref('stg_raw__debates') }} as debates
    left join sides using (debate_id)
    left join live using (debate_id)
    left join measured using (debate_id)
    where debates.format like 'story-%'
),

of_models as (
    select
        written.transcript_id,
        'model' as source,
        written.response_id,
        written.dataset_id,
        written.question_id,
        coalesce(questions.story_id, written.question_id) as cluster_id,
        questions.question,
        questions.answer_0,
        questions.answer_1,
        questions.right_answer,
        written.protocol,
        written.turn_order,
        written.is_interactive,
        written.round_count,
        case when written.protocol = 'consultancy' then written.argued_answer end as argued_answer,
        'model' as debater_kind,
        {{ debater_of('written') }} as debater,
        {{ debater_seated('written', 0) }} as debater_0,
        {{ debater_seated('written', 1) }} as debater_1,
        written.protocol = 'consultancy'
        or coalesce(written.opponent_id, 'self') in ('self', written.judge_id) as is_self_play,
        {{ debate_setting('written') }} as debate_setting,
        written.template as debater_template,
        written.asker_id,
        written.word_limit,
        written.best_of,
        written.preference_judge_id,
        written.refine_count,
        written.tournament,
        written.tournament_round,
        written.status,
        written.reason,
        written.transcript_hash,
        written.is_stale,
        written.cost_usd
    from written
    left join {{ loaded('reading_questions') }} as questions using (question_id)
),

of_rooms as (
    select
        debate_id as transcript_id,
        'room' as source,
        dataset_id,
        coalesce(
            (told ->> '$.question_id'),
            dataset_id || ':' || left(md5(motion || chr(10) || array_to_string(list_sort([
                (told ->> '$.answers[0]'), (told ->> '$.answers[1]')
            ]), chr(10))), 12)
        ) as question_id,
        cluster_id,
        motion as question,
        (told ->> '$.answers[0]') as answer_0,
        (told ->> '$.answers[1]') as answer_1,
        try_cast(told ->> '$.correct_answer' as bigint) as right_answer,
        case
            when format = 'story-debate' then 'debate'
            when format = 'story-consultancy' then 'consultancy'
            else replace(format, 'story-', '')
        end as protocol,
        coalesce(told ->> '$.turn_order', 'as it went') as turn_order,
        live_judge_count > 0 as is_interactive,
        rounds as round_count,
        case
            when format = 'story-consultancy'
                then coalesce(
                    try_cast(told ->> '$.argued_answer' as bigint),
                    case
                        when
                            (told ->> '$.roles."Debater A"') is not null
                            and (told ->> '$.roles."Debater B"') is null then 0
                        when
                            (told ->> '$.roles."Debater B"') is not null
                            and (told ->> '$.roles."Debater A"') is null then 1
                    end,
                    only_answer
                )
        end as argued_answer,
        case
            when try_cast(told ->> '$.is_ai' as boolean) then 'ai'
            when format in ('story-debate', 'story-consultancy') then {{ human() }}
            else 'none'
        end as debater_kind,
        debater_kind as debater,
        (told ->> '$.roles."Debater A"') as debater_0,
        (told ->> '$.roles."Debater B"') as debater_1,
        true as is_self_play,
        coalesce(told ->> '$.debate_setting', 'as it went') as debate_setting,
        lower(coalesce(told ->> '$.status', 'complete')) as status,
        -- As the files of judges have it: what was said, and which answer is which.
        left(sha256(debate_hash || chr(10) || context), 16) as transcript_hash,
        false as is_stale,
        live_judge_count,
        try_cast(told ->> '$.included_in_paper' as boolean) as is_in_paper,
        try_cast(told ->> '$.quotes_outside_story' as bigint) as quotes_outside_count
    from rooms
),

unioned as (
    select * from of_models
    union all by name
    select * from of_rooms
)

select
    *,
    case when protocol = 'consultancy' then argued_answer = right_answer end as is_honest
from unioned
