select * from {{ ref('stg_raw__runs') }}
