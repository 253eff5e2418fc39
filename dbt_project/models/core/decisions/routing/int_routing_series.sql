{#
What is routed: one judge's answers in one way of asking about one thing. Scores are answers on a
scale; labels are pro or con, with the probability of con as the answer.
#}
with

judges as (
    select distinct
        task, dataset_id, dimension, experiment, judge_id, template, variant_id,
        task = 'debates' as is_label
    from {{ ref('int_annotations_judges') }}
)

select
    row_number() over (
        order by
            judges.task, judges.dataset_id, judges.dimension, judges.experiment, judges.judge_id,
            judges.template, judges.variant_id
    ) as series_id,
    judges.*,
    case when judges.is_label then 0.0 else scales.scale_min end as scale_min,
    case when judges.is_label then 1.0 else scales.scale_max end as scale_max
from judges
left join {{ ref('dim_dimension') }} as scales using (dataset_id, dimension)
where judges.is_label or scales.scale_max > scales.scale_min
