with source as (select * from {{ source('raw', 'ensembles') }})

select
    'ensemble/' || ensemble as ensemble_id,
    judge_id
from source
