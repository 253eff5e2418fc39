with

subjects as (
    select distinct {{ key_of(['baseline', 'dataset_id']) }} as subject_id, baseline, dataset_id
    from {{ ref('int_bp_baselines') }}
),

estimates as (
    select * from {{ ref('int_bp_ranking_estimates') }}
    union all by name
    select * from {{ ref('int_bp_score_estimates') }}
)

select
    subjects.dataset_id,
    estimates.task,
    subjects.baseline,
    estimates.measure,
    estimates.value,
    estimates.value_low,
    estimates.value_high,
    estimates.better,
    estimates.n_units,
    estimates.n_undefined,
    estimates.n_answers,
    estimates.null_reason
from estimates
inner join subjects using (subject_id)
