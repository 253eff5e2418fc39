{# Sentences of judges' justifications, and the outcome of each. #}
select
    sentences.*,
    speeches.debate_id,
    speeches.source
from {{ loaded('key_point_sentences') }} as sentences
inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
