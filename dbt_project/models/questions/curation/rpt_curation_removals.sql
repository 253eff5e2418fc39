select
    removals.dataset_id,
    steps.step_order,
    removals.step,
    removals.unit,
    removals.item_id,
    removals.rule,
    removals.text,
    removals.detail,
    removals.because_of
from {{ ref('stg_raw__curation_removals') }} as removals
inner join {{ ref('stg_raw__curation_steps') }} as steps using (dataset_id, step)
