with

turns as (
    select
        transcript_id,
        count(*) filter (where is_chosen) as turn_count,
        count(*) as candidate_count,
        coalesce(sum(word_count) filter (where is_chosen and speaker = 'debater_0'), 0)
            as word_count_0,
        coalesce(sum(word_count) filter (where is_chosen and speaker = 'debater_1'), 0)
            as word_count_1
    from {{ ref('dim_oversight_turn') }}
    group by transcript_id
),

judgements as (
    select transcript_id, count(*) as judgement_count
    from {{ ref('int_oversight_judgements') }}
    where is_final and answer_order != 'both' and probe = 'none' and lean is not null
    group by transcript_id
)

select
    transcripts.* exclude (cost_usd),
    transcripts.quotes_outside_count > 0 as has_quote_outside,
    coalesce(turns.turn_count, 0) as turn_count,
    coalesce(turns.candidate_count, 0) as candidate_count,
    coalesce(turns.word_count_0, 0)::bigint as word_count_0,
    coalesce(turns.word_count_1, 0)::bigint as word_count_1,
    coalesce(judgements.judgement_count, 0) as judgement_count,
    transcripts.cost_usd
from {{ ref('int_oversight_transcripts') }} as transcripts
left join turns using (transcript_id)
left join judgements using (transcript_id)
