select * exclude (original, _loaded_at) from {{ source('raw', 'quarantine') }}
