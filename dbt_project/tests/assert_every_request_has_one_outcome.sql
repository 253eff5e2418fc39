-- Nothing is dropped silently: parsed, unparsed and failed requests add up to all of them.
select run_id
from {{ ref('rpt_run_health') }}
where parsed_count + unparsed_count + error_count != request_count
