{# A view, so that the units of ten million verdicts are not stored twice. #}
{{ config(materialized='view') }}

with

settings as (select * from {{ ref('int_bias_joint_settings') }})

select
    settings.fit_key,
    settings.setting_id,
    units.debate_key,
    units.cluster_key,
    units.is_con,
    units.is_con_second,
    (units.pro_has_first_label::integer - 0.5)::double as con_has_second_label,
    units.con_closes,
    units.log2_length_ratio::double as log2_length_ratio,
    units.human_is_con,
    units.answer_count
from {{ ref('int_verdict_units') }} as units
inner join settings using (setting_id)
