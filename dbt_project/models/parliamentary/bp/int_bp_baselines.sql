{#
What could be had without listening, as if a judge had said so. `ballot` is 0 where the guess is held
against the panel, else it counts the debate's ballots: each beside the mean of the others, so
its official values are its own. The even guess is known in closed form; its rows only say on which
debates, and their places stand for nothing. Means leave out the debate they are compared with.
#}
with

results as (select * from {{ ref('int_bp_results') }}),

places as (
    {{ parliamentary_places() }}
),

-- Rounded, since the order in which a sum is added up must not decide between equal means.
averaged as (
    select
        *,
        sum(official) over (partition by dataset_id, task)
        - sum(official) over (partition by debate_id, task) as other_sum,
        count(*) over (partition by dataset_id, task)
        - count(*) over (partition by debate_id, task) as other_count,
        sum(official) over (partition by dataset_id, task, place) - official as other_place_sum,
        count(*) over (partition by dataset_id, task, place) - 1 as other_place_count,
        round(other_sum / nullif(other_count, 0), 9) as other_mean,
        round(other_place_sum / nullif(other_place_count, 0), 9) as other_place_mean
    from results
),

trainees as (
    select debate_id, adjudicator_id from {{ loaded('adjudicators') }} where is_trainee
),

ballots as (
    select
        debate_id, dataset_id, decided_by, {{ house_ranks() }} as task, house as place,
        team_rank::double as own, extra
    from {{ loaded('team_results') }}
    union all
    select debate_id, dataset_id, decided_by, {{ speaker_scores() }}, role, score, extra
    from {{ loaded('speaker_results') }}
),

-- Only ballots that decide everything, so that all others are comparable. What the tab leaves out
-- of the panel's result is no part of the panel here either.
whole as (
    select
        ballots.* exclude (extra),
        dense_rank() over (partition by ballots.debate_id, task order by decided_by) as ballot
    from ballots
    left join trainees
        on ballots.debate_id = trainees.debate_id and decided_by = trainees.adjudicator_id
    where
        decided_by != {{ panel() }}
        and own is not null
        and trainees.debate_id is null
        and {{ is_in_panel() }}
    qualify
        count(*) over (partition by ballots.debate_id, task, decided_by)
        = case task when {{ house_ranks() }} then 4 else 8 end
        and (
            task = {{ speaker_scores() }}
            or count(distinct own) over (partition by ballots.debate_id, task, decided_by) = 4
        )
),

held_out as (
    select
        *,
        round(
            (sum(own) over (partition by debate_id, task, place) - own)
            / (count(*) over (partition by debate_id, task, place) - 1),
            9
        ) as others
    from whole
    qualify count(*) over (partition by debate_id, task, place) > 1
),

ranked as (
    select
        * exclude (decided_by),
        {{ mid_rank('own', 'debate_id, task, ballot', 'desc') }} as own_rank,
        {{ mid_rank('others', 'debate_id, task, ballot', 'desc') }} as others_rank,
        {{ mid_rank('others', 'debate_id, task, ballot', 'asc') }} as others_house_rank
    from held_out
),

compared as (
    select
        debate_id, dataset_id, task, ballot, place, own as predicted,
        case task when {{ house_ranks() }} then others_house_rank else others end as official
    from ranked
    union all
    select debate_id, dataset_id, {{ speaker_ranks() }}, ballot, place, own_rank, others_rank
    from ranked
    where task = {{ speaker_scores() }}
)

select
    'uniform_random' as baseline, dataset_id, task, debate_key, 0::bigint as ballot, place_index,
    case task when {{ speaker_scores() }} then 75 else place_index end::double as predicted,
    official, tie_size
from averaged
union all
select
    'always_mean',
    dataset_id,
    task,
    debate_key,
    0,
    place_index,
    other_mean::double,
    official,
    tie_size
from averaged
where task = {{ speaker_scores() }}
union all
select
    'speaking_order', dataset_id, task, debate_key, 0, place_index,
    case
        when other_place_mean is null then null
        when task = {{ speaker_scores() }} then other_place_mean
        else row_number() over (
            partition by debate_key, task order by other_place_mean, place_index
        )
    end::double,
    official, tie_size
from averaged
union all
select
    'human_adjudicator', compared.dataset_id, task, debates.debate_key, ballot, places.place_index,
    predicted::double, official::double,
    count(*) over (partition by compared.debate_id, task, ballot, official)
from compared
inner join places using (task, place)
inner join (
    select debate_id, any_value(debate_key) as debate_key from results group by debate_id
) as debates using (debate_id)
