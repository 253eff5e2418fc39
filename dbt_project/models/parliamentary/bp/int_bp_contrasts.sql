{#
Residuals are better than the panel's where positive: points given beyond its score, places better than
its rank. Every contrast of them is linear, so that answers to the same debate may be averaged before or
after.
#}
with

places (place, half, bench, speaking_place) as (
    values
    ('pm', 1, 1, 1), ('lo', 1, -1, 2), ('dpm', 1, 1, 3), ('dlo', 1, -1, 4),
    ('mg', -1, 1, 5), ('mo', -1, -1, 6), ('gw', -1, 1, 7), ('ow', -1, -1, 8),
    ('og', 1, 1, null), ('oo', 1, -1, null), ('cg', -1, 1, null), ('co', -1, -1, null)
),

lengths as (
    select
        debate_id,
        role as place,
        (word_count - avg(word_count) over (partition by debate_id)) / 100 as excess_words,
        count(*) over (partition by debate_id) = 8 as is_whole
    from {{ ref('stg_raw__speeches') }}
    where role is not null
),

-- How much the speeches of a debate differ in length: null unless there are eight to compare.
spreads as (
    select
        debate_id,
        nullif(sum(excess_words ^ 2), 0) as word_spread
    from lengths
    where is_whole
    group by debate_id
),

residuals as (
    select
        given.setting_id,
        given.debate_id,
        given.sample,
        given.task,
        case given.task
            when 'speaker_scores' then given.predicted - given.official
            else given.official - given.predicted
        end as residual,
        places.half,
        places.bench,
        places.speaking_place,
        lengths.excess_words
    from {{ ref('fct_adjudication_value') }} as given
    inner join places using (place)
    left join lengths using (debate_id, place)
),

answers as (
    select
        setting_id,
        debate_id,
        sample,
        task,
        count(residual) = case task when 'house_ranks' then 4 else 8 end as is_complete,
        sum(residual * half) / (count(residual) / 2.0) as opening_half,
        sum(residual * bench) / (count(residual) / 2.0) as government,
        sum(residual * (speaking_place - 4.5)) as late_speaker,
        sum(residual * excess_words) as longer_speech
    from residuals
    group by setting_id, debate_id, sample, task
)

select
    answers.setting_id,
    answers.debate_id,
    {{ outcome_of_task('answers.task') }} as outcome,
    count(*) as n_asked,
    count(*) filter (is_complete) as n_answers,
    avg(opening_half) filter (is_complete) as opening_half,
    avg(government) filter (is_complete) as government,
    avg(late_speaker) filter (is_complete) as late_speaker,
    avg(longer_speech) filter (is_complete and word_spread is not null) as longer_speech,
    any_value(word_spread) as word_spread
from answers
left join spreads using (debate_id)
group by answers.setting_id, answers.debate_id, answers.task
