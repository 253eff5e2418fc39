{# The scores and people's means behind the tau-c of judges whose trend may be tested for a bend. #}
select
    points.trend_id,
    points.judge_id,
    clusters.debate_id,
    observations.item_index,
    observations.x,
    observations.y
from {{ ref('int_size_points') }} as points
inner join {{ ref('int_rank_judges') }} as judges
    using (dataset_id, dimension, judge_id, template)
inner join {{ ref('int_rank_observations') }} as observations using (judge_index)
inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
where
    points.is_tested and points.agreement is not null and points.measure = 'tau_c'
    and judges.failure_rule = {{ excluded() }} and observations.role = 'pooled'
