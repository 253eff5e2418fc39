{#
What judges say of each source. The most frequent key points of each polarity, the other ones and none
are parts of a whole (is_drawn); each of the less frequent ones has a row besides.
#}
with

shares as (select * from {{ ref('int_key_point_shares') }} where source is not null),

sources as (
    select distinct justifications.analysis_id, shown.judge_id, speeches.source
    from {{ ref('stg_raw__key_point_justifications') }} as justifications
    inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
    cross join unnest([justifications.judge_id, {{ all_judges() }}]) as shown (judge_id)
),

groups as (
    select
        analysis_id,
        judge_id,
        key_point_id as group_id,
        'key_point' as group_kind,
        polarity,
        key_point,
        polarity_rank,
        polarity_rank <= {{ drawn_key_points() }} as is_drawn
    from {{ ref('int_key_point_ranks') }}
    union all
    select
        judges.analysis_id,
        judges.judge_id,
        others.group_id,
        split_part(others.group_id, '/', 1),
        others.polarity,
        null,
        null,
        true
    from (select distinct analysis_id, judge_id from sources) as judges
    cross join (
        values
        ({{ other_key_points("'pro'") }}, 'pro'),
        ({{ other_key_points("'con'") }}, 'con'),
        ({{ no_key_point() }}, null)
    ) as others (group_id, polarity)
),

keyed as (
    select sources.source, groups.*
    from sources
    inner join groups using (analysis_id, judge_id)
),

wide as (
    select
        analysis_id,
        judge_id,
        source,
        group_id,
        {% for unit in ['sentence', 'justification', 'matched'] %}
            max(group_count) filter (unit = '{{ unit }}') as {{ unit }}_count,
            max(n) filter (unit = '{{ unit }}') as n_{{ unit }},
            max(n_units) filter (unit = '{{ unit }}') as n_{{ unit }}_units,
            max(share) filter (unit = '{{ unit }}') as {{ unit }}_share,
            max(share_low) filter (unit = '{{ unit }}') as {{ unit }}_share_low,
            max(share_high) filter (unit = '{{ unit }}') as {{ unit }}_share_high,
        {% endfor %}
    from shares
    group by analysis_id, judge_id, source, group_id
)

select
    keyed.*,
    coalesce(sentence_count, 0) as sentence_count,
    coalesce(n_sentence, 0) as n_sentences,
    sentence_share,
    sentence_share_low,
    sentence_share_high,
    coalesce(justification_count, 0) as justification_count,
    coalesce(n_justification, 0) as n_justifications,
    justification_share,
    justification_share_low,
    justification_share_high,
    coalesce(n_matched, 0) as n_matched,
    matched_share,
    matched_share_low,
    matched_share_high,
    coalesce(n_justification_units, 0) as n_units,
    coalesce(n_matched_units, 0) as n_matched_units,
    case
        when
            sentence_share is null
            then 'no justification of speeches from this source has sentences'
    end
        as undefined_reason
from keyed
left join wide using (analysis_id, judge_id, source, group_id)
