{# What was shown to judges: chosen texts of finished transcripts. #}
with

transcripts as (
    select
        transcript_id, response_id, dataset_id, debater_template, protocol, cluster_id, right_answer
    from {{ ref('int_oversight_transcripts') }}
    where source = 'model' and status = 'complete' and not is_stale
),

turns as (
    select
        transcripts.*,
        turns.turn,
        turns.model_id as debater_id,
        case turns.argued_answer when transcripts.right_answer then 'right' else 'wrong' end
            as side,
        turns.word_count,
        turns.rejected_count,
        turns.is_truncated,
        turns.is_concession,
        turns.argues_other_side,
        turns.is_malformed,
        turns.candidate
    from {{ ref('stg_raw__oversight_turns') }} as turns
    inner join transcripts using (transcript_id, response_id)
    where turns.is_chosen and turns.argued_answer is not null and turns.model_id is not null
),

quotes as (
    select
        turns.transcript_id,
        turns.turn,
        quotes.is_verified,
        quotes.similarity,
        {{ words_in('quotes.quote') }} as word_count,
        row_number() over (
            partition by
                turns.transcript_id, turns.debater_id, turns.side, lower(trim(quotes.quote))
            order by quotes.turn, quotes.position
        ) > 1 as is_repeated
    from {{ ref('stg_raw__oversight_quotes') }} as quotes
    inner join turns using (transcript_id, response_id, turn, candidate)
),

quoted as (
    select
        transcript_id,
        turn,
        count(*) as quote_count,
        count(*) filter (is_verified) as verified_count,
        count(*) filter (not is_verified and similarity >= {{ near_miss() }}) as near_miss_count,
        sum(similarity) filter (not is_verified) as similarity_sum,
        count(similarity) filter (not is_verified) as similarity_count,
        count(*) filter (is_repeated) as repeated_count,
        sum(word_count) as quoted_words,
        sum(word_count) filter (is_verified) as verified_words
    from quotes
    group by transcript_id, turn
),

argued as (
    select turns.*, quoted.* exclude (transcript_id, turn), 'both' as argued
    from turns
    left join quoted using (transcript_id, turn)
    union all
    select turns.*, quoted.* exclude (transcript_id, turn), turns.side as argued
    from turns
    left join quoted using (transcript_id, turn)
    where turns.right_answer is not null
),

grouped as (
    select
        dataset_id,
        debater_id,
        debater_template,
        protocol,
        argued,
        coalesce(sum(quote_count), 0)::bigint as quote_count,
        coalesce(sum(verified_count), 0)::bigint as verified_count,
        coalesce(sum(near_miss_count), 0)::bigint as near_miss_count,
        sum(similarity_sum) / nullif(sum(similarity_count), 0) as mean_similarity,
        coalesce(sum(repeated_count), 0)::bigint as repeated_count,
        coalesce(sum(quoted_words), 0) / nullif(sum(word_count), 0) as quoted_words_share,
        coalesce(sum(verified_words), 0) / nullif(sum(word_count), 0) as verified_words_share,
        avg(word_count) as mean_words,
        count(*) as turn_count,
        count(*) filter (quote_count is null) as turns_without_quote_count,
        count(*) filter (is_truncated) as truncated_count,
        sum(rejected_count)::bigint as rejected_count,
        count(*) filter (is_concession) as concession_count,
        count(*) filter (argues_other_side) as other_side_count,
        count(*) filter (is_malformed) as malformed_count,
        count(distinct transcript_id) as n_transcripts,
        count(distinct cluster_id) as n_units
    from argued
    group by dataset_id, debater_id, debater_template, protocol, argued
),

-- A quote is one observation of whether it was found.
observed as (
    select
        argued.dataset_id,
        argued.debater_id,
        argued.debater_template,
        argued.protocol,
        argued.argued,
        argued.cluster_id,
        quotes.is_verified::bigint::double as share
    from argued
    inner join quotes using (transcript_id, turn)
),

shares as (
    {{ story_shares(
        'observed', ['dataset_id', 'debater_id', 'debater_template', 'protocol', 'argued']
    ) }}
)

select
    grouped.*,
    shares.share as verified_share,
    {{ share_ends('shares.share', 'shares.half_width', 'shares.n_units', 'verified_share') }},
    grouped.quote_count / grouped.turn_count as quotes_per_turn,
    case
        when shares.share is null then 'no quotes'
        when shares.n_units < {{ var('min_units_for_interval') }}
            then 'an interval needs {{ var('min_units_for_interval') }} stories'
    end as null_reason
from grouped
left join shares using (dataset_id, debater_id, debater_template, protocol, argued)
