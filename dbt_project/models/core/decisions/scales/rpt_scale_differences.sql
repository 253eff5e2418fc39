{#
How each judge differs from people: in severity, between what machines and people wrote, and between each
source and all. The tests of one judge are one family.
#}
with

raters as (select * from {{ ref('int_scale_raters') }} where is_judge),

fitted as (
    select
        *,
        case quantity when 'rater' then 'severity' else quantity end as difference,
        count(*) filter (quantity = 'source') over (partition by scale_id, name) as n_sources
    from {{ ref('int_scale_fitted') }}
    where quantity in ('rater', 'favour', 'favour_at_equal_quality', 'source')
),

people as (
    select scale_id, bool_or(not is_judge) as has_people
    from {{ ref('int_scale_raters') }}
    group by scale_id
),

tested as (
    select
        raters.*,
        fitted.difference,
        fitted.source,
        fitted.subset,
        fitted.n_subsets,
        fitted.n_sources,
        fitted.n_items,
        fitted.n_units,
        fitted.se,
        people.has_people,
        -- Without people the judges' own mean is 0, and nobody is more severe than people.
        case when people.has_people then fitted.estimate end as estimate,
        case when people.has_people then fitted.low end as low,
        case when people.has_people then fitted.high end as high,
        case when people.has_people then fitted.p end as p,
        case when people.has_people then fitted.reason else 'no person scored these items' end
            as reason
    from raters
    inner join fitted on raters.scale_id = fitted.scale_id and raters.rater_key = fitted.name
    inner join people on raters.scale_id = people.scale_id
),

products as (
    select *, {{ benjamini_hochberg_product('p', 'scale_id, rater_key') }} as product
    from tested
)

select
    scale_id,
    rater_key,
    task,
    dataset_id,
    dimension,
    experiment,
    judge_id,
    template,
    variant_id,
    difference,
    source,
    subset,
    n_subsets,
    estimate as value,
    low as value_low,
    high as value_high,
    se as value_se,
    p,
    {{ benjamini_hochberg('product', 'p', 'scale_id, rater_key') }} as p_adjusted,
    n_sources,
    n_items,
    n_units,
    case when estimate is null then reason end as null_reason,
    reason as interval_reason
from products
