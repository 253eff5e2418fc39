select * exclude (_source_file, _loaded_at) from {{ source('raw', 'adjudicators') }}
