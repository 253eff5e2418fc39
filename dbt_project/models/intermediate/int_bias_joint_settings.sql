{#
What the joint models read of each setting: which fit it belongs to, and everything that was asked
the same way of all its debates.
#}
with

settings as (
    select *, {{ label_set('verbalizer') }} as label_set
    from {{ ref('int_verdict_settings') }}
)

select
    setting_id,
    dense_rank() over (order by experiment, dataset_id, judge_id) as fit_key,
    experiment,
    dataset_id,
    judge_id,
    -- Reasons and their place are part of the wording here: each combination gets its own level.
    concat_ws(' ', template, 'reasoning ' || reasoning, answer_order) as asked,
    outcome,
    label_set,
    split_part(label_set, '/', 1) as first_label,
    split_part(label_set, '/', 2) as second_label,
    case when verbalizer not like 'random %' then split_part(verbalizer, '/', 1) end
        as fixed_pro_label
from settings
