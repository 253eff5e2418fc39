with

replies as (
    select setting_id, debate_id, response_id, sample, faults
    from {{ ref('int_adjudications_current') }}
    where is_counted and request_status = 'answered'
),

units as (
    select setting_id, debate_id, count(*) as n_answers from replies group by all
),

totals as (
    select setting_id, count(*) as n_units, sum(n_answers)::bigint as n_answers
    from units
    group by setting_id
),

found as (
    select
        setting_id, debate_id, response_id, sample, unnest(faults, recursive := true)
    from replies
),

-- One reply may show the same fault more than once.
faulty as (
    select
        setting_id, debate_id, response_id, task as fault_task, fault, any_value(sample) as sample,
        min(detail) as detail
    from found
    group by setting_id, debate_id, response_id, task, fault
),

by_debate as (
    select
        setting_id, debate_id, fault_task, fault, count(*) as n,
        min_by(response_id, (sample, response_id)) as response_id,
        min_by(detail, (sample, response_id)) as detail
    from faulty
    group by setting_id, debate_id, fault_task, fault
),

-- A debate adds its faulty replies and its replies; those without the fault are in the totals
-- alone.
estimated as (
    select
        by_debate.setting_id,
        fault_task,
        fault,
        sum(n)::bigint as n,
        any_value(totals.n_units) as n_units,
        any_value(totals.n_answers) as n_answers,
        sum(n) / any_value(totals.n_answers)::double as share,
        min_by(response_id, (debate_id, response_id)) as example_response_id,
        min_by(detail, (debate_id, response_id)) as example_detail
    from by_debate
    inner join totals using (setting_id)
    group by by_debate.setting_id, fault_task, fault
),

-- The error of a ratio of sums over debates: n / (n - 1) * sum((faulty - share * replies)^2) /
-- replies^2.
squared as (
    select
        estimated.setting_id,
        estimated.fault_task,
        estimated.fault,
        sum((coalesce(by_debate.n, 0) - estimated.share * units.n_answers) ^ 2) as squares
    from estimated
    inner join units using (setting_id)
    left join by_debate using (setting_id, fault_task, fault, debate_id)
    group by all
),

halved as (
    select
        estimated.*,
        {{ clustered_half_width(
            'estimated.n_units / nullif(estimated.n_units - 1.0, 0) * squared.squares'
            ~ ' / estimated.n_answers::double ^ 2',
            'estimated.n_units'
        ) }} as half_width
    from estimated
    inner join squared using (setting_id, fault_task, fault)
)

select
    {{ adjudication_setting_columns('settings') }},
    halved.* exclude (setting_id, half_width),
    {{ share_ends('share', 'half_width', 'n_units') }}
from halved
inner join {{ ref('dim_adjudication_setting') }} as settings using (setting_id)
