with source as (select * from {{ source('raw', 'participants') }})

select
    participant_id,
    dataset_id,
    name,
    debate_count,
    won_count,
    lost_count,
    tied_count,
    voted_count,
    elo,
    win_ratio,
    political_ideology,
    religious_ideology,
    big_issues
from source
