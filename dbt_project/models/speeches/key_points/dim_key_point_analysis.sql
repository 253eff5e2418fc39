{# Analyses of judges' justifications; those of the labelled set are in rpt_key_point_check. #}
with

analyses as (select * from {{ ref('stg_raw__key_point_analyses') }} where not is_labelled),

judges as (
    select analysis_id, list_sort(list(distinct judge_id)) as judge_ids
    from {{ ref('stg_raw__key_point_justifications') }}
    group by analysis_id
)

select
    analyses.analysis_id,
    analyses.dataset_id,
    analyses.dimension,
    analyses.template,
    coalesce(judges.judge_ids, []::varchar[]) as judge_ids,
    analyses.rephraser,
    analyses.embedder,
    analyses.polarity_by,
    analyses.match_threshold,
    analyses.redundancy_threshold,
    analyses.method_hash,
    analyses.seed,
    analyses.code_version,
    analyses.made_at
from analyses
left join judges using (analysis_id)
