{#
A debate left out of the mean it is compared with pulls that mean the other way, so what is compared
over debates is negative without any guess being bad; and a panel's ballots, each against the rest, are
off by nothing on average. Such figures are left out.
#}
with

subjects as (
    select distinct
        {{ key_of(['baseline', 'dataset_id']) }} as subject_id, baseline, dataset_id, task,
        null as setting_id
    from {{ ref('int_bp_baselines') }}
    union all
    select distinct
        {{ key_of(['baseline', 'dataset_id', 'ground_id']) }},
        baseline,
        dataset_id,
        task,
        setting_id
    from {{ ref('int_bp_baselines') }}
    inner join {{ ref('int_bp_grounds') }} as grounds using (task, debate_key)
),

estimates as (
    select * from {{ ref('int_bp_ranking_estimates') }}
    union all by name
    select * from {{ ref('int_bp_score_estimates') }}
),

judged as (
    select
        estimates.*,
        subjects.dataset_id,
        subjects.setting_id,
        subjects.baseline,
        subjects.baseline = 'uniform_random' as is_expected,
        case subjects.baseline
            when 'human_adjudicator' then estimates.measure in ('bias', 'correlation_between')
            when 'uniform_random' then false
            else estimates.measure in (
                'bias', 'correlation', 'correlation_between', 'calibration_slope',
                'calibration_intercept', 'sd_ratio'
            )
        end as is_by_construction
    from estimates
    inner join subjects using (subject_id, task)
)

select
    dataset_id,
    setting_id,
    task,
    baseline,
    measure,
    case when not is_by_construction then value end as value,
    case when not is_by_construction and not is_expected then value_low end as value_low,
    case when not is_by_construction and not is_expected then value_high end as value_high,
    better,
    n_units,
    n_undefined,
    n_answers,
    case
        when is_by_construction then 'decided by leaving one out, not by the guess'
        when is_expected and value is not null then 'an expected value has no interval'
        else null_reason
    end as null_reason
from judged
