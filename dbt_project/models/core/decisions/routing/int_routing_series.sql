{#
What is routed: one judge's answers to one prompt about one thing, by which of them stand. `own` are the
answers as the judge gave them. Beside them stands one alternative: `recalibrated`, a score put through a
line fitted to annotators' scores, or `most probable`, the label that the judge's probability favours,
whatever its verdict.
#}
with

probable as (
    select distinct
        settings.dataset_id, settings.experiment, settings.judge_id, settings.variant_id
    from {{ ref('int_verdict_units') }} as units
    inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
    where units.p_pro is not null
),

judges as (
    select distinct
        judged.task,
        judged.dataset_id,
        judged.dimension,
        judged.experiment,
        judged.judge_id,
        judged.template,
        judged.variant_id,
        judged.task = 'debates' as is_label,
        probable.judge_id is not null as has_probability
    from {{ ref('int_annotations_judges') }} as judged
    left join probable using (dataset_id, experiment, judge_id, variant_id)
),

kinds as (
    select
        * exclude (has_probability),
        unnest(
            case
                when not is_label then ['own', 'recalibrated']
                when has_probability then ['own', 'most probable']
                else ['own']
            end
        ) as answer_form
    from judges
)

select
    row_number() over (
        order by
            kinds.task, kinds.dataset_id, kinds.dimension, kinds.experiment, kinds.judge_id,
            kinds.template, kinds.variant_id, kinds.answer_form
    ) as series_id,
    kinds.*,
    case when kinds.is_label then 0.0 else scales.scale_min end as scale_min,
    case when kinds.is_label then 1.0 else scales.scale_max end as scale_max
from kinds
left join {{ ref('dim_dimension') }} as scales using (dataset_id, dimension)
where kinds.is_label or scales.scale_max > scales.scale_min
