-- The allowed labels are all there is: where each is known they sum to 1, and their bounds leave
-- room for a sum of 1 where some are not.
select response_id
from {{ ref('fct_label_probability') }}
group by response_id
having
    sum(p_low) > 1 + 1e-9
    or sum(p_high) < 1 - 1e-9
    or count(p) not in (0, count(*))
    or (count(p) = count(*) and abs(sum(p) - 1) > 1e-9)
