select
    template,
    split_part(template, '@', 1) as instrument,
    any_value(wording) as wording,
    string_agg(distinct prompt_hash, ', ' order by prompt_hash) as prompt_hash,
    template like '%\_justified%' escape '\' as is_justified
from {{ ref('stg_raw__scores') }}
group by template
