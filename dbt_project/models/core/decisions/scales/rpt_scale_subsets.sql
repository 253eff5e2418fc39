{# Raters that scores of the same things connect. Between subsets nothing can be compared. #}
with

fitted as (select * from {{ ref('int_scale_fitted') }}),

members as (
    select
        raters.scale_id,
        raters.task,
        raters.dataset_id,
        raters.dimension,
        fitted.subset,
        count(*) filter (not raters.is_judge) as n_people,
        count(*) filter (raters.is_judge) as n_judges,
        string_agg(
            coalesce(raters.annotator_id, raters.judge_id || coalesce(', ' || raters.template, '')),
            '; '
            order by raters.is_judge, raters.annotator_id, raters.judge_id, raters.template
        ) as members
    from {{ ref('int_scale_raters') }} as raters
    inner join fitted
        on
            raters.scale_id = fitted.scale_id
            and raters.rater_key = fitted.name
            and fitted.quantity = 'rater'
    group by all
)

select
    members.*,
    fitted.n_subsets,
    fitted.n_items,
    fitted.n_units,
    fitted.reason as null_reason
from members
inner join fitted
    on
        members.scale_id = fitted.scale_id
        and members.subset = fitted.subset
        and fitted.quantity = 'subset'
