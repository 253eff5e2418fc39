with source as (select * from {{ source('raw', 'logged_verdicts') }})

select
    debate_id,
    dataset_id,
    motion,
    pro_debater,
    con_debater,
    judge,
    winner,
    margin,
    pro_words,
    con_words,
    pro_family,
    con_family,
    judge_family
from source
