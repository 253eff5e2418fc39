with

score_variants as (
    select
        variant_id,
        {{ score() }} as answer_kind,
        template,
        min(wording) as wording,
        string_agg(distinct prompt_hash, ', ' order by prompt_hash) as prompt_hash
    from {{ ref('stg_raw__scores') }}
    group by variant_id, template
),

-- The key is made once for each way of asking, and not for each of millions of verdicts.
ways_asked as (
    select distinct
        template, wording, prompt_hash, verbalizer, position, outcome, reasoning, answer_order
    from {{ ref('stg_raw__verdicts') }}
),

verdict_variants as (
    select
        {{ variant_id(
            'template', 'verbalizer', 'position', 'outcome', 'reasoning', 'answer_order'
        ) }} as variant_id,
        {{ verdict() }} as answer_kind,
        * exclude (wording, prompt_hash),
        min(wording) as wording,
        string_agg(distinct prompt_hash, ', ' order by prompt_hash) as prompt_hash
    from ways_asked
    group by template, verbalizer, position, outcome, reasoning, answer_order
),

variants as (
    select * from score_variants
    union all by name
    select * from verdict_variants
)

select
    *,
    split_part(template, '@', 1) as instrument,
    coalesce(reasoning, {{ asks_for_reasons('template') }}) as is_justified
from variants
