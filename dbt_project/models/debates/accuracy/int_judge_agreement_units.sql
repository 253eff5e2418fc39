{# A view: units beside their group, and whether their cluster is one debate. #}
{{ config(materialized='view') }}

with

clusters as (
    select cluster_key, count(*) = 1 as is_one_debate
    from {{ ref('int_debates_judged') }}
    group by cluster_key
)

select
    settings.group_key,
    units.setting_id,
    settings.is_panelist,
    units.debate_key,
    units.cluster_key,
    clusters.is_one_debate,
    units.is_con
from {{ ref('int_verdict_units') }} as units
inner join {{ ref('int_judge_agreement_settings') }} as settings using (setting_id)
inner join clusters using (cluster_key)
