select * exclude (_source_file, _loaded_at) replace (step::bigint as step)
from {{ source('raw', 'human_verdicts') }}
