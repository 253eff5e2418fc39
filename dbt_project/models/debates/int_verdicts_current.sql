{#
A view: the fact that reads it is the only table of its size. Without the raw text, which may be long
and is in dim_response.
#}
{{ config(materialized='view') }}

{% set way = 'template, verbalizer, position, outcome, reasoning, answer_order' %}

with

superseded as (select response_id from {{ ref('int_responses_superseded') }}),

-- A key is made once for each way of asking; it has as many bits as the hash it is found by.
ways as (
    select hash({{ way }}) as way_hash, {{ variant_id(*way.split(', ')) }} as variant_id
    from (select distinct {{ way }} from {{ ref('stg_raw__verdicts') }})
),

verdicts as (
    select
        * exclude (variant_id, response, extra),
        hash({{ way }}) as way_hash,
        case when request_status = 'answered' then {{ released_winner() }} end as winner_released,
        -- What a file supplied without a reply, or a judge without labels, has nothing to read.
        case
            when response is null or pro_label is null or request_status != 'answered' then null
            when {{ released_winner() }} is null then 'unparsed'
            else 'parsed'
        end as parse_status_released
    from {{ ref('stg_raw__verdicts') }}
),

debates as (
    select debates.debate_id as known_debate_id, measured.debate_hash
    from {{ ref('stg_raw__debates') }} as debates
    left join {{ ref('int_debates_measured') }} as measured using (debate_id)
)

-- A verdict made elsewhere may not say which text it was given; it then holds for the text there
-- is.
select
    verdicts.* exclude (way_hash),
    ways.variant_id,
    {{ answer_status() }} as answer_status,
    known_debate_id is null or coalesce(debate_hash != item_hash, false) as is_stale,
    superseded.response_id is null as is_current
from verdicts
inner join ways using (way_hash)
left join superseded using (response_id)
left join debates on verdicts.debate_id = known_debate_id
