-- The long table and the wide one count the same failures.
with

long as (
    select run_id, sum(failure_count) as failure_count, sum(answered_count) as unparsed_count
    from {{ ref('rpt_failures') }}
    group by run_id
)

select health.run_id
from {{ ref('rpt_run_health') }} as health
left join long using (run_id)
where
    health.failure_count != coalesce(long.failure_count, 0)
    or health.unparsed_count != coalesce(long.unparsed_count, 0)
