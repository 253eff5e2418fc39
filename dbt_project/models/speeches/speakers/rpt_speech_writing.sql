{#
What asking a model for speeches brought. A request counts once, by the reply that counts; what is an
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
        dataset_id,
        judge_id,
        template,
        word_limit,
        {{ half_width_over_clusters('topic_speeches', 'topic_requests') }} as share_half_width,
        {{ half_width_over_clusters(
            'coalesce(topic_words, 0)', 'topic_speeches',
            'count(*) filter (where topic_speeches > 0)'
        ) }} as words_half_width
    from topics
    group by all
),

speakers as (
    select
        judge_id,
        any_value(family) as speaker_family
    from {{ loaded('judges') }}
    group by judge_id
)

select
    totals.*,
    speakers.speaker_family,
    n_speeches / n_requests::double as speech_share,
    {{ share_ends(
        'n_speeches / n_requests::double', 'share_half_width', 'n_units', 'speech_share'
    ) }},
    {{ ends('mean_words', 'words_half_width') }},
    case when totals.n_speeches = 0 then 'no speech came of these requests' end as words_reason
from totals
inner join spreads using (dataset_id, judge_id, template, word_limit)
left join speakers using (judge_id)
