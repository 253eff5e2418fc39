with source as (select * from {{ source('raw', 'team_results') }})

select
    debate_id,
    dataset_id,
    decided_by,
    house,
    team,
    team_rank,
    points,
    is_swing,
    extra
from source
