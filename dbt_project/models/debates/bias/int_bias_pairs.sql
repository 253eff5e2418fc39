{#
The contrasts of position and of labels that are free of each other: both settings give a side the same
label, or name the same side first, debate by debate. What was drawn is the same in both only where one
run's seed drew it.
#}
with

contrasts as (
    select * from {{ ref('int_verdict_contrasts') }} where kind in ('position', 'label')
),

settings as (select * from {{ ref('int_verdict_settings') }}),

arms as (select setting_id, group_id from {{ ref('int_bias_arms') }}),

described as (
    select
        contrasts.contrast_id,
        contrasts.setting_a,
        contrasts.setting_b,
        arms.group_id,
        contrasts.kind as bias,
        case contrasts.kind
            when 'position' then contrasts.contrast else 'second label - first label'
        end as contrast,
        one.label_order is null as is_label_unknown,
        one.position is null as is_position_unknown,
        'random' in (one.label_order, other.label_order) as is_label_drawn,
        'shuffled' in (one.position, other.position) as is_position_drawn,
        one.is_drawn_here and other.is_drawn_here as is_drawn_here,
        bool_or(contrasts.contrast = 'con second - con first') over (partition by arms.group_id)
            as has_both_orders
    from contrasts
    inner join arms on contrasts.setting_a = arms.setting_id
    inner join settings as one on contrasts.setting_a = one.setting_id
    inner join settings as other on contrasts.setting_b = other.setting_id
)

select
    contrast_id,
    setting_a,
    setting_b,
    group_id,
    bias,
    contrast,
    case
        when is_label_unknown then 'labels are unknown'
        when is_position_unknown then 'which side is named first is unknown'
        when is_label_drawn and not is_drawn_here
            then 'labels were drawn elsewhere and no seed is known'
        when is_position_drawn and not is_drawn_here
            then 'positions were drawn elsewhere and no seed is known'
        when contrast = 'fixed - shuffled' and has_both_orders
            then 'not tested twice, both orders were asked'
    end as why_descriptive,
    why_descriptive is null as is_neutral
from described
