{#
What became of asking a model for speeches. A request counts once, by the reply that counts; what is an
item, and what is not with the reason why, add up to all of them.
#}
with

requests as (
    select
        dataset_id,
        judge_id,
        template,
        wording,
        word_limit,
        debate_id,
        case
            when is_item then 'item'
            when is_stale then 'stale'
            when answer_status in ('refused', 'filtered') then 'refused'
            when answer_status = 'truncated' then 'truncated'
            when answer_status = {{ unparsed() }} then 'unreadable'
            else 'failed'
        end as outcome,
        case when is_item then word_count end as word_count,
        case when is_item then word_count_written end as word_count_written,
        is_item and removed_sentence_count > 0 as is_cut,
        cost_usd
    from {{ ref('dim_written_speech') }}
    where is_current
),

topics as (
    select
        dataset_id,
        judge_id,
        template,
        word_limit,
        debate_id,
        count(*) as topic_requests,
        count(*) filter (outcome = 'item') as topic_speeches,
        sum(word_count) as topic_words
    from requests
    group by all
),

totals as (
    select
        dataset_id,
        judge_id,
        template,
        any_value(wording) as wording,
        word_limit,
        count(*) as n_requests,
        count(distinct debate_id) as n_units,
        count(*) filter (outcome = 'item') as n_speeches,
        count(distinct debate_id) filter (outcome = 'item') as n_spoken_units,
        {% for outcome in ['refused', 'unreadable', 'truncated', 'failed', 'stale'] %}
            count(*) filter (outcome = '{{ outcome }}') as {{ outcome }}_count,
        {% endfor %}
        count(*) filter (is_cut) as cut_count,
        avg(word_count) as mean_words,
        avg(word_count_written) as mean_words_written,
        case when count(cost_usd) = count(*) then sum(cost_usd) end as cost_usd
    from requests
    group by all
),

spreads as (
    select
        totals.dataset_id,
        totals.judge_id,
        totals.template,
        totals.word_limit,
        {{ clustered_variance(
            'topic_speeches', 'topic_requests', 'n_speeches / n_requests::double', 'n_requests', 'n_units'
        ) }} as share_variance,
        {{ clustered_variance(
            'coalesce(topic_words, 0)', 'topic_speeches', 'mean_words', 'n_speeches', 'n_spoken_units'
        ) }} as words_variance
    from totals
    inner join topics using (dataset_id, judge_id, template, word_limit)
    group by all
),

measured as (
    select
        totals.*,
        n_speeches / n_requests::double as speech_share,
        {{ clustered_half_width('share_variance', 'n_units') }} as share_half_width,
        {{ clustered_half_width('words_variance', 'n_spoken_units') }} as words_half_width
    from totals
    inner join spreads using (dataset_id, judge_id, template, word_limit)
),

speakers as (
    select
        judge_id,
        any_value(family) as speaker_family
    from {{ ref('stg_raw__judges') }}
    group by judge_id
)

select
    measured.* exclude (n_spoken_units, share_half_width, words_half_width),
    speakers.speaker_family,
    {{ share_ends('speech_share', 'share_half_width', 'n_units') }},
    mean_words - words_half_width as mean_words_low,
    mean_words + words_half_width as mean_words_high,
    case when measured.n_speeches = 0 then 'no speech came of these requests' end as words_reason
from measured
left join speakers using (judge_id)
