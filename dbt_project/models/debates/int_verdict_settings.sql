{#
Who judged what, and how it was asked: a judge and a variant, on a data set, in an experiment.
People are judges of the template 'human'.
#}
with

runs as (select run_id, origin from {{ ref('stg_raw__runs') }}),

answered as (
    select distinct experiment, dataset_id, judge_id, variant_id, run_id
    from {{ ref('fct_verdict') }}
    where is_current and not is_stale
),

-- What a run leaves to chance it draws from a seed its journal keeps; of imports no seed is known.
asked as (
    select
        experiment, dataset_id, judge_id, variant_id,
        bool_and(coalesce(runs.origin = 'run', false)) as is_drawn_here
    from answered
    left join runs using (run_id)
    group by experiment, dataset_id, judge_id, variant_id
),

variants as (
    select
        variant_id, template, wording, verbalizer, position, outcome, reasoning, answer_order
    from {{ ref('dim_variant') }}
),

people as (
    select distinct
        {{ human() }} as experiment,
        dataset_id,
        judge_id,
        {{ variant_id(human(), outcome="'winner'") }} as variant_id,
        false as is_drawn_here,
        {{ human() }} as template,
        'winner' as outcome
    from {{ loaded('human_verdicts') }}
    -- Of transcripts that models wrote nobody says who won.
    where is_final and debate_id in (select debate_id from {{ ref('stg_raw__debates') }})
),

settings as (
    select asked.*, variants.* exclude (variant_id)
    from asked
    inner join variants using (variant_id)
    union all by name
    select * from people
)

select
    row_number() over (order by experiment, dataset_id, judge_id, variant_id) as setting_id,
    *,
    template = {{ human() }} as is_human,
    {{ label_set('verbalizer') }} as label_set,
    case
        when label_set is null then null
        when verbalizer like 'random %' then 'random'
        when verbalizer = label_set then 'set'
        else 'flipped'
    end as label_order
from settings
