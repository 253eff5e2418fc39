select
    * exclude (_source_file, _loaded_at),
    {{ is_reader('annotator_id', 'dataset_id') }} as is_reader
from {{ source('raw', 'human_ratings') }}
