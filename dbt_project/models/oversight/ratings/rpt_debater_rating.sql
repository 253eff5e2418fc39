with

sides as (
    select
        * exclude (debater_0, debater_1),
        unnest([0, 1]) as argued_answer,
        unnest([debater_0, debater_1]) as debater_id,
        unnest([debater_1, debater_0]) as opponent_id,
        unnest([share_0, 1 - share_0]) as share
    from {{ ref('int_debater_contests') }}
    where protocol = 'debate' and not is_self_play
),

argued as (
    select
        *, unnest(['both', case when argued_answer = right_answer then 'right' else 'wrong' end])
            as argued
    from sides
    where right_answer is not null
    union all
    select *, 'both' as argued
    from sides
    where right_answer is null
),

counted as (
    select
        field_id,
        debater_id,
        argued,
        sum(share * weight) filter (used_for = 'rating')
        / sum(weight) filter (used_for = 'rating') as win_share,
        count(distinct opponent_id) filter (used_for = 'rating' and share is not null)
            as n_opponents,
        count(distinct cluster_id) filter (used_for = 'rating' and share is not null) as n_units,
        count(distinct question_id) filter (used_for = 'rating' and share is not null)
            as n_questions,
        count(distinct transcript_id) filter (used_for = 'rating' and share is not null)
            as n_contests,
        sum(failed_count)::bigint as failed_count,
        bool_or(used_for = 'chosen_by_judge') as is_chosen_by_judge
    from argued
    group by field_id, debater_id, argued
),

fitted as (
    select * from {{ ref('int_debater_ratings_fitted') }} where quantity = 'rating'
)

select
    fields.field_id,
    {{ debater_field_columns('fields') }},
    counted.* exclude (field_id, is_chosen_by_judge),
    fitted.estimate as rating,
    fitted.low as rating_low,
    fitted.high as rating_high,
    fitted.se as rating_se,
    case
        when fitted.estimate is not null
            then rank() over (
                partition by fields.field_id, counted.argued
                order by fitted.estimate desc nulls last
            )
    end as rating_rank,
    fitted.component,
    fitted.n_components,
    fitted.is_separated,
    coalesce(fitted.n_replicates, 0) as n_replicates,
    fitted.separated_share,
    case
        when counted.is_chosen_by_judge then 'the judge chose among the candidates itself'
        when counted.n_contests = 0 then 'no judgement could be read'
        else fitted.reason
    end as null_reason
from counted
inner join {{ ref('int_debater_fields') }} as fields using (field_id)
left join fitted
    on
        counted.field_id = fitted.field_id
        and counted.debater_id = fitted.debater_id
        and counted.argued = fitted.name
