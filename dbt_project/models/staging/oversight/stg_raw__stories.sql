with source as (select * from {{ source('raw', 'stories') }})

select
    story_id,
    dataset_id,
    title,
    author,
    source,
    url,
    year::bigint as year,
    licence,
    topic,
    text,
    word_count::bigint as word_count,
    text_hash,
    extra
from source
