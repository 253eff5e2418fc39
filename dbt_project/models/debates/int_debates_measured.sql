{#
A debate's hash changes with its motion, with any of its speeches and with their order; each speech's
own hash covers its text and the motion.
#}
select
    debate_id,
    count(*) as speech_count,
    sum(word_count)::bigint as word_count,
    left(
        sha256(string_agg(item_hash, chr(10) order by speech_order nulls last, item_id)), 16
    ) as debate_hash
from {{ ref('stg_raw__speeches') }}
group by debate_id
