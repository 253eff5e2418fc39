{# Each kind of answer brings those of these columns that it has. #}
{% set kept = [
    'response_id', 'run_id', 'request_id', 'answer_kind', 'judge_id', 'debate_id', 'item_id',
    'variant_id', 'template', 'dimension', 'sample', 'response', 'request_status', 'error_kind',
    'finish_reason', 'parse_status', 'parse_reason', 'attempts', 'tokens_in', 'tokens_cached',
    'tokens_out', 'latency_s', 'cost_usd', 'answered_at', 'source_file', 'source_record', 'extra',
] %}
with

scores as (
    select
        stg_scores.*,
        {{ score() }} as answer_kind,
        speeches.debate_id
    from {{ ref('stg_raw__scores') }} as stg_scores
    left join (select item_id, debate_id from {{ ref('stg_raw__speeches') }}) as speeches
        using (item_id)
),

verdicts as (
    select *, {{ verdict() }} as answer_kind
    from {{ ref('stg_raw__verdicts') }}
),

questions_answered as (
    select
        *,
        {{ answer() }} as answer_kind,
        question_id as item_id,
        {{ variant_id('template') }} as variant_id
    from {{ ref('int_answers_current') }}
),

adjudications as (
    select *, {{ adjudication() }} as answer_kind
    from {{ ref('stg_raw__adjudications') }}
),

-- Where nobody wrote anything usable, the last thing that was written instead.
unusable as (
    select turns.response_id, arg_max(turns.text, (turns.turn, turns.candidate)) as response
    from {{ ref('stg_raw__oversight_turns') }} as turns
    semi join (
        select response_id
        from {{ ref('stg_raw__oversight_transcripts') }}
        where parse_status = {{ unparsed() }}
    ) as void using (response_id)
    group by turns.response_id
),

debates_of_stories as (
    select
        transcripts.*,
        {{ transcript() }} as answer_kind,
        question_id as item_id,
        unusable.response
    from {{ ref('stg_raw__oversight_transcripts') }} as transcripts
    left join unusable using (response_id)
),

judgements as (
    select
        *,
        {{ judgement() }} as answer_kind,
        coalesce(transcript_id, question_id) as item_id
    from {{ ref('stg_raw__oversight_judgements') }}
),

speeches_written as (
    select
        *,
        {{ writing() }} as answer_kind,
        {{ variant_id('template') }} as variant_id
    from {{ ref('stg_raw__written_speeches') }}
),

pressed as (
    select *, {{ pressed_verdict() }} as answer_kind
    from {{ ref('stg_raw__pressed_verdicts') }}
),

likelihoods as (
    select
        *,
        {{ likelihood() }} as answer_kind,
        answer_id as item_id,
        metric as dimension,
        {{ variant_id('template') }} as variant_id
    from {{ ref('int_likelihood_requests') }}
),

answers as (
    {% for part in [
        'scores', 'verdicts', 'questions_answered', 'likelihoods', 'adjudications',
        'debates_of_stories', 'judgements', 'speeches_written', 'pressed'
    ] %}
        select columns('^({{ kept | join('|') }})$') from {{ part }}
        {{ 'union all by name' if not loop.last }}
    {% endfor %}
)

select
    * exclude (attempts, extra),
    {{ extra_field('error') }} as error_message,
    {{ answer_status() }} as answer_status,
    {{ extra_field('model_version') }} as model_version,
    {{ extra_field('omitted_parameters') }} as omitted_parameters,
    attempts::bigint as attempts
from answers
