{# Analyses of judges' justifications; those of the labelled set are in rpt_key_point_check. #}
with

analyses as (select * from {{ loaded('key_point_analyses') }} where not is_labelled),

judges as (
    select analysis_id, list_sort(list(distinct judge_id)) as judge_ids
    from {{ ref('stg_raw__key_point_justifications') }}
    group by analysis_id
)

select
    analyses.* exclude (name, is_labelled, settings),
    coalesce(judges.judge_ids, []::varchar[]) as judge_ids
from analyses
left join judges using (analysis_id)
