{#
What each sentence and each justification is counted under, once for its judge and once for all judges
together. A justification is under everything that any of its sentences is under, and under none only
where all of them are. Of all judges together, `reasoned` leaves out those that never say anything for
or against, such as rules: they have no reasons that could lack a key point.
#}
{% set key = 'analysis_id, judge_id, source, debate_id' %}
with

speeches as (select item_id, debate_id, source from {{ ref('stg_raw__speeches') }}),

sentences as (
    select
        sentences.* replace (shown.judge_id as judge_id),
        shown.judge_id != {{ all_judges() }} or bool_or(sentences.key_point_id is not null) over (
            partition by sentences.analysis_id, sentences.judge_id
        ) as has_reasons
    from {{ loaded('key_point_sentences') }} as sentences
    cross join unnest([sentences.judge_id, {{ all_judges() }}]) as shown (judge_id)
    where sentences.judge_id is not null
),

grouped as (
    select
        sentences.*,
        speeches.source,
        speeches.debate_id,
        list_filter(
            [
                sentences.key_point_id,
                case
                    when ranks.polarity_rank > {{ drawn_key_points() }}
                        then {{ other_key_points('ranks.polarity') }}
                end,
            ],
            lambda found: found is not null
        ) as said
    from sentences
    inner join speeches using (item_id)
    left join {{ ref('int_key_point_ranks') }} as ranks using (analysis_id, judge_id, key_point_id)
),

justified as (
    select
        {{ key }},
        request_id,
        bool_or(has_reasons) as has_reasons,
        list_distinct(flatten(list(said))) as said
    from grouped
    group by {{ key }}, request_id
)

-- Of all sentences.
select
    {{ key }},
    'sentence' as unit,
    sentence_id as unit_id,
    (case when len(said) = 0 then [{{ no_key_point() }}] else said end)
    || ['polarity/' || coalesce(polarity, 'unknown')] as groups
from grouped
union all
-- Of those that were compared with key points.
select
    {{ key }},
    'held',
    sentence_id,
    case when len(said) > 0 then ['matched'] else []::varchar[] end
from grouped
where removal_reason is null
union all
-- Of those under some key point.
select
    {{ key }},
    'matched',
    sentence_id,
    said || ['polarity/' || polarity]
from grouped
where len(said) > 0
union all
select
    {{ key }},
    'justification',
    request_id,
    case when len(said) = 0 then [{{ no_key_point() }}] else said end
from justified
union all
select
    {{ key }},
    'reasoned',
    request_id,
    case when len(said) = 0 then [{{ no_key_point() }}] else []::varchar[] end
from justified
where has_reasons
