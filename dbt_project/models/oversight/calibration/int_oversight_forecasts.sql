{#
Probabilities as forecasts of two events: that answer 0 is right, and that the likelier answer is. Bins
have equal mass: ten, under 100 forecasts one for every ten of them. Equal forecasts are never parted, so
a bin may be larger than others, or empty.
#}
with

units as (
    select *
    from {{ ref('int_oversight_units') }}
    where
        probe = 'none'
        and asked_for = 'probability'
        and p_answer_0 is not null
        and right_answer is not null
),

events as (
    select
        *,
        'answer_0' as event,
        -- Means of repeats and orders carry float noise that would part equal forecasts.
        round(p_answer_0, 9) as forecast,
        (1 - right_answer)::double as outcome,
        false as is_half
    from units
    union all
    select
        *,
        'max_p',
        round(greatest(p_answer_0, 1 - p_answer_0), 9),
        case
            when p_answer_0 = 0.5 then 0.5 else
                ((p_answer_0 < 0.5) = (right_answer = 1))::int::double
        end,
        p_answer_0 = 0.5
    from units
),

ranked as (
    select
        arm_id,
        unit_judge_id,
        unit_id,
        cluster_id,
        n_answers,
        event,
        forecast,
        outcome,
        is_half,
        count(*) over (partition by arm_id, event) as n_units,
        rank() over in_order - 1
        + count(*) over (in_order range between current row and current row) / 2.0 as middle
    from events
    window in_order as (partition by arm_id, event order by forecast)
)

select
    * exclude (middle),
    case when n_units >= 100 then 10 else greatest(1, n_units // 10) end as bin_count,
    least(bin_count, 1 + floor(bin_count * middle / n_units))::bigint as bin
from ranked
