with source as (select * from {{ source('raw', 'debate_outcomes') }})

select
    debate_id,
    dataset_id,
    criterion,
    decided_by,
    is_primary,
    winner,
    margin,
    votes_pro,
    votes_con,
    votes_tie,
    score_pro,
    score_con,
    extra
from source
