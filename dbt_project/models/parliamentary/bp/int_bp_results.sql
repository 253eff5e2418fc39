{#
What the panel decided, place by place. A ranking is known as a whole or not at all; speakers' ranks
are the mid-ranks of their scores, ties being normal. A debate that a data set's own rule found without
one clear result has none. `debate_key` is short, because tables of millions of values carry it.
#}
with

places as (
    {{ parliamentary_places() }}
),

unclear as (
    select debate_id
    from {{ loaded('debate_filters') }}
    where is_removed and rule = 'one_result'
),

houses as (
    select
        debate_id,
        dataset_id,
        house,
        case
            when
                count(*) over (partition by debate_id) = 4
                and count(distinct team_rank) over (partition by debate_id) = 4
                then team_rank::double
        end as official
    from {{ loaded('team_results') }}
    where decided_by = {{ panel() }} and debate_id not in (select debate_id from unclear)
),

speakers as (
    select
        debate_id,
        dataset_id,
        role,
        case when count(*) over (partition by debate_id, role) = 1 then score end as score
    from {{ loaded('speaker_results') }}
    where decided_by = {{ panel() }} and debate_id not in (select debate_id from unclear)
),

ranked as (
    select
        *,
        case
            when count(score) over (partition by debate_id) = 8
                then {{ mid_rank('score', 'debate_id', 'desc') }}
        end as official_rank
    from speakers
),

results as (
    select
        debate_id, dataset_id, {{ house_ranks() }} as task, house as place, official,
        official as official_rank
    from houses
    union all
    select debate_id, dataset_id, {{ speaker_scores() }}, role, score, official_rank
    from ranked
    union all
    select
        debate_id, dataset_id, {{ speaker_ranks() }}, role, official_rank as official, official_rank
    from ranked
)

select
    dense_rank() over (order by results.debate_id) as debate_key,
    results.*,
    places.place_index,
    places.house,
    count(*) over (partition by results.debate_id, results.task, results.official) as tie_size
from results
inner join places using (task, place)
where results.official is not null
