with

counted as (
    select
        field_id,
        count(distinct question_id) as n_questions,
        count(distinct transcript_id) as n_contests
    from {{ ref('int_debater_contests') }}
    where used_for = 'rating' and share_0 is not null
    group by field_id
),

terms as (select * from {{ ref('int_debater_ratings_fitted') }} where quantity = 'term')

select
    fields.field_id,
    {{ debater_field_columns('fields') }},
    terms.name as term,
    terms.estimate as points,
    terms.low as points_low,
    terms.high as points_high,
    terms.n_units,
    counted.n_questions,
    counted.n_contests,
    terms.is_separated,
    terms.reason as null_reason
from terms
inner join {{ ref('int_debater_fields') }} as fields using (field_id)
inner join counted using (field_id)
