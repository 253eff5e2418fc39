with

transcripts as (
    select transcript_id, response_id, source from {{ ref('int_oversight_transcripts') }}
),

quotes as (
    select
        response_id,
        turn,
        candidate,
        count(*) as quote_count,
        count(*) filter (where is_verified) as verified_count,
        to_json(list({
            'position': position, 'quote': quote, 'is_verified': is_verified,
            'similarity': similarity, 'story_start': story_start, 'story_end': story_end
        } order by position))::varchar as quotes
    from {{ ref('stg_raw__oversight_quotes') }}
    group by response_id, turn, candidate
),

-- A transcript that was asked for twice shows the turns of the request that counts.
written as (
    select
        turns.*,
        coalesce(quotes.quote_count, 0) as quote_count,
        coalesce(quotes.verified_count, 0) as verified_count,
        coalesce(quotes.quotes, '[]') as quotes
    from {{ ref('stg_raw__oversight_turns') }} as turns
    inner join transcripts using (transcript_id, response_id)
    left join quotes using (response_id, turn, candidate)
),

said as (
    select speeches.*
    from {{ ref('stg_raw__speeches') }} as speeches
    inner join transcripts
        on speeches.debate_id = transcripts.transcript_id and transcripts.source = 'room'
)

select
    transcript_id,
    turn,
    round,
    speaker,
    argued_answer,
    model_id,
    candidate,
    is_chosen,
    text,
    shown_text,
    word_count,
    rejected_count,
    is_truncated,
    is_concession,
    argues_other_side,
    is_malformed,
    preference,
    quote_count,
    verified_count,
    null::bigint as quotes_outside_count,
    quotes,
    tokens_in,
    tokens_out,
    cost_usd
from written
union all
select
    debate_id,
    row_number() over (partition by debate_id order by speech_order, item_id),
    try_cast(round as bigint),
    case side when 'pro' then 'debater_0' when 'con' then 'debater_1' else 'asker' end,
    case side when 'pro' then 0 when 'con' then 1 end,
    speaker,
    1,
    true,
    text,
    text as shown_text,
    word_count,
    0,
    false,
    null,
    null,
    null,
    null,
    len(regexp_extract_all(text, '<quote>')),
    len(regexp_extract_all(text, '<quote>')),
    coalesce(quotes_outside_count, 0),
    '[]',
    null,
    null,
    null
from said
