select
    {{ request_columns() }},
    transcript_id,
    question_id,
    protocol,
    turn_order,
    is_interactive,
    round_count::bigint as round_count,
    argued_answer::bigint as argued_answer,
    opponent_id,
    asker_id,
    word_limit::bigint as word_limit,
    best_of::bigint as best_of,
    preference_judge_id,
    refine_count::bigint as refine_count,
    tournament,
    tournament_round::bigint as tournament_round,
    status,
    reason,
    transcript_hash,
    request_status,
    case
        when request_status != 'answered' then 'not_answered'
        when status = 'complete' then 'parsed'
        else {{ unparsed() }}
    end as parse_status,
    case when parse_status = {{ unparsed() }} then coalesce(split_part(reason, ':', 1), status) end
        as parse_reason,
    error_kind,
    finish_reason,
    attempts::bigint as attempts,
    tokens_in,
    tokens_cached,
    tokens_out,
    latency_s,
    cost_usd,
    answered_at,
    _source_file as source_file,
    source_record,
    extra,
    _loaded_at as loaded_at
from {{ source('raw', 'oversight_transcripts') }}
