{#
The debates that a setting's judge was read on, task by task, so that guesses are judged on the same
ones. A ranking is read as a whole or not at all; of scores one is enough. Settings with the same debates
share a ground, and what is guessed on it is worked out once.
#}
with

read_answers as (
    select setting_id, task, debate_key
    from {{ ref('int_adjudication_values') }}
    where official is not null
    group by setting_id, task, debate_key, answer_key
    having
        count(predicted) = count(*)
        or (task = {{ speaker_scores() }} and count(predicted) > 0)
),

read_debates as (select distinct * from read_answers),

grounds as (
    select
        setting_id,
        task,
        md5(string_agg(debate_key::varchar, ',' order by debate_key)) as ground_id
    from read_debates
    group by setting_id, task
)

select grounds.setting_id, grounds.task, grounds.ground_id, read_debates.debate_key
from read_debates
inner join grounds using (setting_id, task)
