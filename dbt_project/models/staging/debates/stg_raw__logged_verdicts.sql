select * exclude (extra, _source_file, _loaded_at) from {{ source('raw', 'logged_verdicts') }}
