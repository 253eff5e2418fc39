-- Nothing falls silently: what each rule of curation counts as removed is listed with its reason.
with

listed as (
    select dataset_id, step, unit, rule, count(*) as listed_count
    from {{ ref('rpt_curation_removals') }}
    group by dataset_id, step, unit, rule
),

funnel as (select * from {{ ref('rpt_curation_funnel') }} where effect = 'removes')

select dataset_id, step, unit, rule, funnel.n_affected, listed.listed_count
from funnel
full join listed using (dataset_id, step, unit, rule)
where coalesce(funnel.n_affected, 0) != coalesce(listed.listed_count, 0)
