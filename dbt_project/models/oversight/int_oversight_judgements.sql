{#
Every judgement of anybody. A model that was shown the answers in both orders has a third row, both,
whose probability is the mean of the two; a failure in either order is a failure of both. A choice
counts as 0 or 1, so two orders that choose differently are a tie.
#}
{% set asked -%}
    setting_id, judge_id, dataset_id, question_id, transcript_id, protocol, step_at, is_final,
    probe, probed_answer, sample
{%- endset %}
with

answers as (select * from {{ ref('int_oversight_answers') }} where is_counted),

transcripts as (select * from {{ ref('int_oversight_transcripts') }}),

verdicts as (
    select *, {{ extra_field('task') }} as task, {{ extra_field('item_hash') }} as read_hash
    from {{ loaded('human_verdicts') }}
),

-- Who reads a room on the dashboard reads its turns, the judge's too, which have the debate's hash.
rooms as (select debate_id, debate_hash from {{ ref('int_debates_measured') }}),

single as (
    select
        response_id as judgement_id,
        {{ asked }},
        cluster_id,
        template,
        asked_for,
        answer_order,
        count(*) over (partition by {{ asked }}) = 1 as is_main_order,
        right_answer,
        p_answer_0,
        coalesce(p_answer_0, 1.0 - choice) as lean,
        answer_status,
        answered_at as judged_at,
        cost_usd
    from answers
),

pooled as (
    select
        min(judgement_id) || '+' || max(judgement_id) as judgement_id,
        {{ asked }},
        {{ alike_in_group(['cluster_id', 'template', 'asked_for']) }},
        'both' as answer_order,
        true as is_main_order,
        any_value(right_answer) as right_answer,
        case when count(p_answer_0) = 2 then avg(p_answer_0) end as p_answer_0,
        case when count(lean) = 2 then avg(lean) end as lean,
        coalesce(
            min(answer_status) filter (where lean is null), min(answer_status)
        ) as answer_status,
        max(judged_at) as judged_at,
        case when count(cost_usd) = 2 then sum(cost_usd) end as cost_usd
    from single
    group by {{ asked }}
    having count(*) = 2
),

asked_of_models as (
    select * from single
    union all by name
    select * from pooled
),

of_models as (
    select
        models.* exclude (
            transcript_id, dataset_id, question_id, protocol, cluster_id, right_answer
        ),
        models.dataset_id,
        models.question_id,
        models.cluster_id,
        models.transcript_id,
        models.protocol,
        models.right_answer,
        'model' as source,
        false as is_human,
        'read' as mode,
        is_main_order as is_headline,
        -- Who reads what was said in a room asked nobody.
        coalesce(transcripts.is_interactive and transcripts.source = 'model', false)
            as is_interactive,
        coalesce(transcripts.debater_kind, 'none') as debater_kind,
        coalesce(transcripts.debater, 'none') as debater,
        coalesce(transcripts.debate_setting, 'none') as debate_setting,
        transcripts.is_self_play,
        transcripts.tournament,
        transcripts.turn_order,
        transcripts.argued_answer,
        transcripts.is_honest,
        transcripts.is_in_paper,
        null::boolean as is_shared_room
    from asked_of_models as models
    left join transcripts on models.transcript_id = transcripts.transcript_id
),

-- What people thought of debates of other kinds is no oversight, nor is who of a story's debaters
-- won.
of_people as (
    select
        verdicts.debate_id
        || '#'
        || verdicts.judge_id
        || '#'
        || verdicts.mode
        || '#'
        || verdicts.step
            as judgement_id,
        {{ key_of(['verdicts.judge_id', 'verdicts.dataset_id', 'verdicts.mode']) }} as setting_id,
        verdicts.judge_id,
        transcripts.dataset_id,
        transcripts.question_id,
        transcripts.cluster_id,
        case when verdicts.protocol not in ('naive', 'expert') then verdicts.debate_id end
            as transcript_id,
        verdicts.protocol,
        verdicts.step as step_at,
        verdicts.is_final,
        'none' as probe,
        null::bigint as probed_answer,
        0::bigint as sample,
        'people' as template,
        case when verdicts.p_pro is null then 'choice' else 'probability' end as asked_for,
        'shown' as answer_order,
        true as is_main_order,
        transcripts.right_answer,
        verdicts.p_pro as p_answer_0,
        coalesce(
            verdicts.p_pro,
            case verdicts.choice when 'pro' then 1.0 when 'con' then 0.0 when 'tie' then 0.5 end
        ) as lean,
        case when lean is null then 'unparsed' else 'supplied' end as answer_status,
        verdicts.judged_at,
        null::double as cost_usd,
        'person' as source,
        not {{ is_model_among_people('verdicts.judge_id') }} as is_human,
        verdicts.mode,
        -- Who was in the room comes before who read it afterwards.
        verdicts.mode = 'live'
        or (
            verdicts.mode in ('read', 'dashboard') and coalesce(transcripts.live_judge_count, 0) = 0
        )
            as is_headline,
        verdicts.is_interactive,
        case when transcript_id is null then 'none' else transcripts.debater_kind end
            as debater_kind,
        case when transcript_id is null then 'none' else transcripts.debater end as debater,
        case when transcript_id is null then 'none' else transcripts.debate_setting end
            as debate_setting,
        transcripts.is_self_play,
        transcripts.tournament,
        transcripts.turn_order,
        transcripts.argued_answer,
        case when verdicts.protocol = 'consultancy' then transcripts.is_honest end as is_honest,
        transcripts.is_in_paper,
        transcripts.live_judge_count > 1 as is_shared_room
    from verdicts
    inner join transcripts on verdicts.debate_id = transcripts.transcript_id
    left join rooms on verdicts.debate_id = rooms.debate_id
    -- A reader of the dashboard says which text was read; fct_reader_judgement counts the stale
    -- ones.
    where
        coalesce(verdicts.task, 'story') = 'story'
        and not coalesce(verdicts.read_hash is not null and transcripts.is_stale, false)
        and coalesce(
            verdicts.read_hash = coalesce(rooms.debate_hash, transcripts.transcript_hash), true
        )
),

everybody as (
    from of_models
    union all by name
    from of_people
)

select
    * exclude (step_at),
    step_at as step,
    case right_answer when 0 then p_answer_0 when 1 then 1 - p_answer_0 end as p_right,
    lean = 0.5 as is_tie,
    case
        when right_answer is null or lean is null then null
        when lean = 0.5 then 0.5
        else ((lean < 0.5) = (right_answer = 1))::bigint::double
    end as right_score
from everybody
