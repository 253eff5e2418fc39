with

imported as (
    select judge_id, bool_and(is_imported) as is_imported
    from (
        select judge_id, origin = 'import' as is_imported from {{ ref('stg_raw__runs') }}
        union all
        select annotator_id, true from {{ loaded('annotations') }} where is_judge
    )
    group by all
),

ensembles as (
    select ensemble_id, string_agg(judge_id, ', ' order by judge_id) as members
    from {{ ref('stg_raw__ensembles') }}
    group by all
),

models as (
    select
        judges.*,
        case
            when provider in ('rule', 'simulated') then provider
            when is_imported then 'imported'
            else 'model'
        end as judge_kind
    from {{ loaded('judges') }} as judges
    left join imported using (judge_id)
),

-- All people together, and those whose verdicts have a name, readers of the dashboard too; among
-- them may be a model.
people as (
    select
        {{ human() }} as judge_id,
        {{ human() }} as judge_kind
    union distinct
    select
        judge_id,
        case when {{ is_model_among_people('judge_id') }} then 'imported' else {{ human() }} end
            as judge_kind
    from {{ loaded('human_verdicts') }}
),

panels as (
    select
        ensemble_id as judge_id,
        'ensemble' as judge_kind,
        'ensemble' as provider,
        split_part(ensemble_id, '/', 2) as model,
        members
    from ensembles
)

select * from people
union all by name
select * from models
union all by name
select * from panels
