{# Key points in the order of how often a judge says them, also those it never says. #}
with

judges as (
    select distinct justifications.analysis_id, shown.judge_id
    from {{ ref('stg_raw__key_point_justifications') }} as justifications
    cross join unnest([justifications.judge_id, {{ all_judges() }}]) as shown (judge_id)
),

counts as (
    select sentences.analysis_id, shown.judge_id, sentences.key_point_id, count(*) as sentence_count
    from {{ loaded('key_point_sentences') }} as sentences
    cross join unnest([sentences.judge_id, {{ all_judges() }}]) as shown (judge_id)
    where sentences.key_point_id is not null
    group by sentences.analysis_id, shown.judge_id, sentences.key_point_id
)

select
    judges.analysis_id,
    judges.judge_id,
    key_points.key_point_id,
    key_points.polarity,
    key_points.text as key_point,
    key_points.position,
    coalesce(counts.sentence_count, 0) as sentence_count,
    row_number() over (
        partition by judges.analysis_id, judges.judge_id, key_points.polarity
        order by coalesce(counts.sentence_count, 0) desc, key_points.position
    ) as polarity_rank
from judges
inner join {{ loaded('key_points') }} as key_points using (analysis_id)
left join counts using (analysis_id, judge_id, key_point_id)
