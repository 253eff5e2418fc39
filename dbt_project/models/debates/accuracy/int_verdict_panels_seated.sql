{#
Who votes together: all models that were asked the same way where there are three or more, the
members of each configured ensemble, and one judge under the two positions that differ in nothing
else. Rules answer without reading and sit on no panel, unless an ensemble names them.
#}
with

settings as (select * from {{ ref('int_verdict_settings') }} where not is_human),

gives as (
    select setting_id, bool_or(p_pro is not null and con_share is not null) as is_probability_given
    from {{ ref('int_verdict_units') }}
    group by setting_id
),

models as (
    select
        'models' as kind,
        experiment,
        dataset_id,
        'all models' as panel_name,
        variant_id,
        setting_id,
        count(*) over (partition by experiment, dataset_id, variant_id) as seat_count,
        3 as seats_wanted
    from settings
    where judge_id not like 'rule/%'
),

configured as (
    select
        'ensemble' as kind,
        settings.experiment,
        settings.dataset_id,
        ensembles.ensemble_id as panel_name,
        settings.variant_id,
        settings.setting_id,
        count(*) over (
            partition by
                settings.experiment, settings.dataset_id, settings.variant_id, ensembles.ensemble_id
        ) as seat_count,
        ensembles.seat_count as seats_wanted
    from settings
    inner join (
        select *, count(*) over (partition by ensemble_id) as seat_count
        from {{ ref('stg_raw__ensembles') }} as ensembles
    ) as ensembles
        using (judge_id)
),

positions as (
    select
        'positions' as kind,
        experiment,
        dataset_id,
        judge_id as panel_name,
        min(variant_id) filter (position = 'pro_first') over same_otherwise as variant_id,
        setting_id,
        count(*) over same_otherwise as seat_count,
        2 as seats_wanted
    from settings
    where position in ('pro_first', 'con_first')
    window same_otherwise as (
        partition by
            experiment, dataset_id, judge_id, template, verbalizer, outcome, reasoning, answer_order
    )
),

seats as (
    select * from models where seat_count >= seats_wanted
    union all
    select * from configured
    union all
    select * from positions where seat_count = seats_wanted
)

select
    dense_rank() over (
        order by seats.kind, seats.experiment, seats.dataset_id, seats.panel_name, seats.variant_id
    ) as panel_key,
    seats.*,
    seats.seat_count >= seats.seats_wanted as is_whole,
    settings.judge_id,
    -- What two panels share that were asked the same but for the position.
    hash(
        settings.template, settings.verbalizer, settings.outcome, settings.reasoning,
        settings.answer_order
    ) as asked_otherwise,
    concat_ws(
        ', ', settings.template, settings.verbalizer, settings.outcome,
        case when settings.reasoning then 'with reasons' end, settings.answer_order
    ) as asked,
    settings.variant_id as seat_variant_id,
    settings.position,
    gives.is_probability_given
from seats
inner join settings using (setting_id)
inner join gives using (setting_id)
