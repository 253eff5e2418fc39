{#
What went wrong in each run, and one example of each: the first whose raw text was kept. Data without
the reference that a simulated judge is made from are no failure.
#}
with

answers as (select * from {{ ref('int_answers_unioned') }}),

responses as (
    select response_id, response is not null as has_text from {{ ref('dim_response') }}
),

request_counts as (
    select run_id, count(*) as request_count
    from answers
    where answer_status is distinct from 'no_reference'
    group by run_id
),

ranked as (
    select
        answers.run_id,
        answers.judge_id,
        answers.answer_status,
        answers.request_status = 'answered' as is_answered,
        answers.response_id,
        row_number() over (
            partition by answers.run_id, answers.answer_status
            order by responses.has_text desc, answers.answered_at asc, answers.response_id asc
        ) as place
    from answers
    inner join responses using (response_id)
    where answers.answer_status not in ('parsed', 'supplied', 'no_reference')
),

failures as (
    select
        run_id,
        judge_id,
        answer_status,
        count(*) as failure_count,
        count(*) filter (is_answered) as answered_count,
        any_value(response_id) filter (place = 1) as example_response_id
    from ranked
    group by run_id, judge_id, answer_status
)

select
    failures.*,
    request_counts.request_count,
    failures.failure_count / request_counts.request_count::double as share,
    {{ wilson_ends('share', 'request_count') }}
from failures
inner join request_counts using (run_id)
