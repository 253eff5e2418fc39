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
        fitted.se as value_se,
        -- Without people the judges' own mean is 0, and nobody is more severe than people.
        case when people.has_people then fitted.estimate end as value,
        case when people.has_people then fitted.low end as value_low,
        case when people.has_people then fitted.high end as value_high,
        case when people.has_people then fitted.p end as p,
        case when people.has_people then fitted.reason else 'no person scored these items' end
            as interval_reason
    from raters
    inner join fitted on raters.scale_id = fitted.scale_id and raters.rater_key = fitted.name
    inner join people on raters.scale_id = people.scale_id
),

adjusted as (
    {{ benjamini_hochberg('tested', 'scale_id, rater_key') }}
)

select
    * exclude (annotator_id, is_judge, mean_score),
    case when value is null then interval_reason end as null_reason
from adjusted
