select * exclude (_source_file, _loaded_at) from {{ source('raw', 'key_point_labels') }}
