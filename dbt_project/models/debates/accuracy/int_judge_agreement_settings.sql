{#
Who can be compared with whom: judges who were asked the same way on the same data set, in the same
experiment. Rules answer without reading and sit on no panel.
#}
select
    setting_id,
    dense_rank() over (order by experiment, dataset_id, variant_id) as group_key,
    experiment,
    dataset_id,
    variant_id,
    judge_id,
    is_human,
    judge_id not like 'rule/%' as is_panelist
from {{ ref('int_verdict_settings') }}
