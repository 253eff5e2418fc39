-- A judge that answered is in every agreement table, with a reason where nothing can be said.
select distinct fct_score.dataset_id, fct_score.dimension, fct_score.judge_id, fct_score.template
from {{ ref('fct_score') }}
left join {{ ref('rpt_rank_agreement') }} as ranks using (dataset_id, dimension, judge_id, template)
left join
    {{ ref('rpt_rater_agreement') }} as raters
    using (dataset_id, dimension, judge_id, template)
where
    fct_score.is_current and not fct_score.is_stale
    and (ranks.judge_id is null or raters.judge_id is null)
