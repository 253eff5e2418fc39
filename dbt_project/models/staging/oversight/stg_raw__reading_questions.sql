select * exclude (_source_file, _loaded_at) replace (right_answer::bigint as right_answer)
from {{ source('raw', 'reading_questions') }}
