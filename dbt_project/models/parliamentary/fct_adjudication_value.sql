select
    asked.response_id,
    asked.setting_id,
    asked.debate_id,
    asked.sample,
    found.task,
    found.place,
    found.house,
    found.predicted,
    found.reason,
    found.official,
    found.predicted - found.official as difference,
    found.official_rank
from {{ ref('int_adjudication_values') }} as found
inner join {{ ref('int_adjudications_current') }} as asked using (answer_key)
