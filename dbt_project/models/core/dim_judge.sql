with

judges as (select * from {{ ref('stg_raw__judges') }}),

imported as (
    select judge_id, bool_and(is_imported) as is_imported
    from (
        select judge_id, origin = 'import' as is_imported from {{ ref('stg_raw__runs') }}
        union all
        select annotator_id, true from {{ ref('stg_raw__annotations') }} where is_judge
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
        judge_id,
        case
            when provider in ('rule', 'simulated') then provider
            when is_imported then 'imported'
            else 'model'
        end as judge_kind,
        provider,
        model,
        family,
        size_b_params,
        settings,
        settings_hash,
        null::varchar as members
    from judges
    left join imported using (judge_id)
),

-- All people together, and those whose verdicts have a name, readers of the dashboard too; among
-- them may be a model.
named as (
    select
        {{ human() }} as judge_id,
        {{ human() }} as judge_kind
    union distinct
    select
        judge_id,
        case when {{ is_model_among_people('judge_id') }} then 'imported' else {{ human() }} end
            as judge_kind
    from {{ ref('stg_raw__human_verdicts') }}
),

people as (
    select
        judge_id,
        judge_kind,
        null::varchar as provider,
        null::varchar as model,
        null::varchar as family,
        null::double as size_b_params,
        null::varchar as settings,
        null::varchar as settings_hash,
        null::varchar as members
    from named
),

panels as (
    select
        ensemble_id as judge_id,
        'ensemble' as judge_kind,
        'ensemble' as provider,
        split_part(ensemble_id, '/', 2) as model,
        null::varchar as family,
        null::double as size_b_params,
        null::varchar as settings,
        null::varchar as settings_hash,
        members
    from ensembles
)

select * from people
union all
select * from models
union all
select * from panels
