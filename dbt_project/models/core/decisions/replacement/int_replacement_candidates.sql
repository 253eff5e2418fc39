{# Who may stand in for one of the people: each judge in each way it was asked, and each person. #}
with

scopes as (
    select distinct task, dataset_id, dimension from {{ ref('int_replacement_annotations') }}
),

candidates as (
    select distinct
        judges.task,
        judges.dataset_id,
        judges.dimension,
        judges.experiment,
        judges.judge_id,
        judges.template,
        judges.variant_id,
        null::varchar as annotator_id
    from {{ ref('int_replacement_judges') }} as judges
    inner join scopes using (task, dataset_id, dimension)
    union all
    select distinct task, dataset_id, dimension, null, null, null, null, annotator_id
    from {{ ref('int_replacement_annotations') }}
)

select
    row_number() over (
        order by
            task, dataset_id, dimension, experiment, judge_id, template, variant_id, annotator_id
    ) as candidate_key,
    *,
    annotator_id is not null as is_person
from candidates
