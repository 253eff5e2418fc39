select
    removals.*,
    steps.step_order
from {{ loaded('curation_removals') }} as removals
inner join {{ ref('stg_raw__curation_steps') }} as steps using (dataset_id, step)
