select
    'ensemble/' || ensemble as ensemble_id,
    judge_id
from {{ source('raw', 'ensembles') }}
