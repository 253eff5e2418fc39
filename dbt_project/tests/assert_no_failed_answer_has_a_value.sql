-- A failure is data and never a guess: no score, no verdict.
select response_id
from {{ ref('fct_score') }}
where answer_status not in ('parsed', 'supplied') and value is not null
union all
select response_id
from {{ ref('fct_verdict') }}
where answer_status not in ('parsed', 'supplied') and winner is not null
