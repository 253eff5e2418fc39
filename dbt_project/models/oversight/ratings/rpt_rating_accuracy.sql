with

contests as (
    select *
    from {{ ref('int_debater_contests') }}
    where protocol = 'debate'
),

everybody as (
    select distinct field_id, unnest([debater_0, debater_1]) as debater_id
    from contests
),

-- The orders of one transcript are one observation.
observed as (
    select
        field_id,
        debater_0 as debater_id,
        transcript_id,
        question_id,
        cluster_id,
        sum(case when right_answer = 0 then share_0 else 1 - share_0 end * weight) as share
    from contests
    where used_for = 'accuracy' and right_answer is not null and share_0 is not null
    group by all
),

shares as (
    {{ story_shares('observed', ['field_id', 'debater_id']) }}
),

questions as (
    select field_id, debater_id, count(distinct question_id) as n_questions
    from observed
    group by field_id, debater_id
),

unused as (
    select
        field_id,
        debater_0 as debater_id,
        count(distinct transcript_id) filter (used_for = 'shared_question')
            as shared_question_count,
        sum(failed_count)::bigint as failed_count,
        bool_or(used_for = 'accuracy' and right_answer is null) as has_withheld,
        bool_or(used_for = 'accuracy' and share_0 is null) as has_unread,
        bool_or(used_for = 'chosen_by_judge') as is_chosen_by_judge
    from contests
    where is_self_play
    group by field_id, debater_0
),

ratings as (
    select *
    from {{ ref('int_debater_ratings_fitted') }}
    where quantity = 'rating' and name = 'both'
)

select
    fields.field_id,
    {{ debater_field_columns('fields') }},
    everybody.debater_id,
    ratings.estimate as rating,
    ratings.low as rating_low,
    ratings.high as rating_high,
    ratings.se as rating_se,
    shares.share as accuracy,
    {{ share_ends('shares.share', 'shares.half_width', 'shares.n_units', 'accuracy') }},
    coalesce(shares.n_units, 0) as n_units,
    coalesce(questions.n_questions, 0) as n_questions,
    coalesce(shares.n, 0) as n_contests,
    coalesce(unused.failed_count, 0) as failed_count,
    coalesce(unused.shared_question_count, 0) as shared_question_count,
    ratings.se is not null and shares.share is not null as is_in_slope,
    case
        when unused.is_chosen_by_judge then 'the judge chose among the candidates itself'
        when shares.share is null and unused.has_withheld
            then 'the right answers of what it debated against itself are withheld'
        when shares.share is null and unused.has_unread
            then 'no judgement of a debate against itself can be read'
        when shares.share is null and unused.shared_question_count > 0
            then 'every question it debated against itself was used for ratings'
        when shares.share is null then 'no judgement of a debate against itself'
        when shares.n_units < {{ var('min_units_for_interval') }}
            then 'an interval needs {{ var('min_units_for_interval') }} stories'
        when ratings.estimate is null then 'no debate against anybody else'
        else ratings.reason
    end as null_reason
from everybody
inner join {{ ref('int_debater_fields') }} as fields using (field_id)
left join shares using (field_id, debater_id)
left join questions using (field_id, debater_id)
left join unused using (field_id, debater_id)
left join ratings using (field_id, debater_id)
