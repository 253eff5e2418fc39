{#
What the joint models read of each setting: which fit it belongs to, and everything that was asked
the same way of all its debates. Templates are never pooled: each has a fit of its own.
#}
select
    setting_id,
    dense_rank() over (order by experiment, dataset_id, judge_id, template) as fit_key,
    experiment,
    dataset_id,
    judge_id,
    template,
    -- Reasons and their place are part of the wording here: each combination gets its own level.
    concat_ws(' ', template, 'reasoning ' || reasoning, answer_order) as asked,
    outcome,
    label_set
from {{ ref('int_verdict_settings') }}
