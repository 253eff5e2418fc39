with

debates as (select debate_id, is_judged from {{ ref('dim_parliamentary_debate') }})

select
    matches.*,
    debates.is_judged,
    count(*) over (partition by matches.dataset_id, matches.status) as status_count,
    count(*) over (partition by matches.dataset_id) as n_rows
from {{ loaded('transcript_matches') }} as matches
left join debates using (debate_id)
