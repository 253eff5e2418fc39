{# What of a judge's justifications an analysis covers, and what it leaves out, with the reasons. #}
with

justifications as (
    select
        justifications.analysis_id,
        shown.judge_id,
        count(*) as n_justifications,
        {% for status in [
            'sentences', 'empty', 'score_only', 'other_language', 'too_long', 'rephrasing_failed'
        ] %}
            count(*) filter (justifications.status = '{{ status }}') as {{ status }}_count,
        {% endfor %}
    from {{ ref('fct_justification') }} as justifications
    cross join unnest([justifications.judge_id, {{ all_judges() }}]) as shown (judge_id)
    group by justifications.analysis_id, shown.judge_id
),

sentences as (
    select
        sentences.analysis_id,
        shown.judge_id,
        count(*) as n_sentences,
        {% for reason in ['neutral', 'no_words', 'too_long', 'polarity_unreadable'] %}
            count(*) filter (sentences.removal_reason = '{{ reason }}')
                as removed_{{ reason }}_count,
        {% endfor %}
        count(*) filter (sentences.removal_reason is null) as n_held,
        count(*) filter (sentences.is_candidate) as candidate_count
    from {{ ref('fct_justification_sentence') }} as sentences
    cross join unnest([sentences.judge_id, {{ all_judges() }}]) as shown (judge_id)
    group by sentences.analysis_id, shown.judge_id
),

shares as (
    select
        analysis_id,
        judge_id,
        {% for name, unit, group_id in [
            ('matched', 'held', 'matched'), ('pro', 'sentence', 'polarity/pro'),
            ('con', 'sentence', 'polarity/con'), ('neutral', 'sentence', 'polarity/neutral'),
            ('positive', 'matched', 'polarity/pro'), ('unexplained', 'reasoned', 'none'),
        ] %}
            {%- set those = "filter (unit = '" ~ unit ~ "' and group_id = '" ~ group_id ~ "')" %}
            max(group_count) {{ those }} as {{ name }}_count,
            max(share) {{ those }} as {{ name }}_share,
            max(share_low) {{ those }} as {{ name }}_share_low,
            max(share_high) {{ those }} as {{ name }}_share_high,
        {% endfor %}
        max(n_units) filter (unit = 'sentence') as n_units,
        max(n) filter (unit = 'reasoned') as reasoned_count
    from {{ ref('int_key_point_shares') }}
    where source is null
    group by analysis_id, judge_id
)

select
    justifications.*,
    {{ or_zero([
        'n_sentences', 'removed_neutral_count', 'removed_no_words_count', 'removed_too_long_count',
        'removed_polarity_unreadable_count', 'n_held', 'candidate_count', 'matched_count'
    ]) }},
    matched_share,
    matched_share_low,
    matched_share_high,
    pro_share,
    pro_share_low,
    pro_share_high,
    con_share,
    con_share_low,
    con_share_high,
    neutral_share,
    neutral_share_low,
    neutral_share_high,
    positive_share,
    positive_share_low,
    positive_share_high,
    coalesce(reasoned_count, 0)::bigint as reasoned_count,
    coalesce(unexplained_count, 0) as unexplained_count,
    unexplained_share,
    unexplained_share_low,
    unexplained_share_high,
    coalesce(n_units, 0) as n_units,
    case
        when coalesce(n_sentences, 0) = 0 then 'no justification of this judge has sentences'
        when n_held = 0 then 'no sentence of this judge is for a speech or against it'
    end as undefined_reason,
    case
        when coalesce(n_sentences, 0) = 0 then 'no justification of this judge has sentences'
    end as polarity_undefined_reason,
    case
        when coalesce(n_sentences, 0) = 0 then 'no justification of this judge has sentences'
        when coalesce(matched_count, 0) = 0 then 'no sentence of this judge is under a key point'
    end as positive_undefined_reason
from justifications
left join sentences using (analysis_id, judge_id)
left join shares using (analysis_id, judge_id)
