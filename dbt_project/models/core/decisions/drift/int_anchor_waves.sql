{#
The waves of each anchor set, in the order of their first answers: every time that one line of judges
was asked about it in one way.
#}
select
    row_number() over (
        order by anchor_set, judge_line, dimension, min(answered_at), wave
    ) as wave_id,
    anchor_set,
    judge_line,
    dimension,
    wave,
    any_value(dataset_id) as dataset_id,
    list_sort(list(distinct judge_id)) as judge_ids,
    list_sort(list(distinct template)) as templates,
    min(answered_at) as began_at,
    count(*) as answer_count,
    count(*) - count(value) as failed_count,
    row_number() over (
        partition by anchor_set, judge_line, dimension order by min(answered_at), wave
    ) as place
from {{ loaded('anchor_answers') }}
group by anchor_set, judge_line, dimension, wave
