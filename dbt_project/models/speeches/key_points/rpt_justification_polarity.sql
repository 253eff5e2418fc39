{#
Whether judges' reasons speak for speeches or against them, beside their scores, by source. A mean over
several judges' scores would be no judge's: all judges together have none.
#}
with

justifications as (
    select
        justifications.analysis_id,
        shown.judge_id,
        justifications.source,
        count(*) as n_justifications,
        count(*) filter (justifications.status = 'sentences') as n_explained
    from {{ ref('fct_justification') }} as justifications
    cross join unnest([justifications.judge_id, {{ all_judges() }}]) as shown (judge_id)
    group by justifications.analysis_id, shown.judge_id, justifications.source
),

positives as (
    select *
    from {{ ref('int_key_point_shares') }}
    where unit = 'matched' and group_id = 'polarity/pro' and source is not null
)

select
    justifications.analysis_id,
    justifications.judge_id,
    justifications.source,
    n_justifications,
    n_explained,
    coalesce(positives.group_count, 0) as positive_count,
    coalesce(positives.n, 0) as n_matched,
    positives.share as positive_share,
    positives.share_low as positive_share_low,
    positives.share_high as positive_share_high,
    coalesce(positives.n_units, 0) as n_units,
    case when positives.share is null then 'no sentence on this source is under a key point' end
        as undefined_reason,
    scores.mean_score,
    scores.mean_score_low,
    scores.mean_score_high,
    coalesce(scores.n_items, 0) as n_scored_items,
    case
        when justifications.judge_id = {{ all_judges() }} then 'mean scores are of one judge each'
        when scores.mean_score is null then 'no answer of this judge on this source has a score'
    end as score_undefined_reason
from justifications
inner join {{ ref('dim_key_point_analysis') }} as analyses using (analysis_id)
left join positives using (analysis_id, judge_id, source)
left join {{ ref('rpt_source_scores') }} as scores
    on
        analyses.dataset_id = scores.dataset_id
        and analyses.dimension = scores.dimension
        and analyses.template = scores.template
        and justifications.judge_id = scores.judge_id
        and justifications.source = scores.source
