select
    asked.response_id,
    asked.setting_id,
    asked.debate_id,
    asked.sample,
    found.* exclude (answer_key, setting_id, debate_key, place_index),
    found.predicted - found.official as difference
from {{ ref('int_adjudication_values') }} as found
inner join {{ ref('int_adjudications_current') }} as asked using (answer_key)
