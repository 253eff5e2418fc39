-- Every answer is in exactly one row of its distribution, the unreadable ones in their own.
select dataset_id, dimension, judge_id, template
from {{ ref('rpt_score_distribution') }}
group by dataset_id, dimension, judge_id, template
having sum(answer_count) != any_value(n_answers)
