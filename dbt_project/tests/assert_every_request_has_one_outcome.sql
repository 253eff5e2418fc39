-- Nothing is dropped silently: parsed, unparsed and failed requests, and those of simulated judges
-- about items without a reference, add up to all of them, and so do the statuses they can end with.
select run_id
from {{ ref('rpt_run_health') }}
where
    parsed_count + unparsed_count + error_count + no_reference_count != request_count
    or parsed_count + failure_count + no_reference_count != request_count
    or answered_count + error_count + no_reference_count != request_count
    or other_error_count < 0
    or unreadable_count + refused_count + filtered_count + truncated_count + context_overflow_count
    + timeout_count + malformed_count + rate_limited_count + account_error_count + other_error_count
    != failure_count
