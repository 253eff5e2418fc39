{#
How much each judge has answered, people beside them. Every judge that was asked has a row, also where
nothing can be said about its agreement.
#}
select
    dataset_id,
    dimension,
    judge_id,
    template,
    count(*) as n_answers,
    count(*) filter (value is null and is_answered) as unparsed_count,
    count(*) filter (not is_answered) as unanswered_count
from {{ ref('int_answers_pooled') }}
group by all
union all
select dataset_id, dimension, {{ human() }}, {{ human() }}, count(*), 0, 0
from {{ ref('int_speech_ratings') }}
group by all
