with

transcripts as (
    select *
    from {{ ref('int_oversight_transcripts') }}
    where tournament is not null and protocol = 'debate' and not is_self_play and not is_stale
),

contests as (
    select *
    from {{ ref('int_debater_contests') }}
    where tournament is not null and protocol = 'debate' and not is_self_play
),

fields as (
    select distinct tournament, field_id, dataset_id, judge_id, judge_template from contests
),

judged as (
    select field_id, transcript_id, avg(p_answer_0) as p_answer_0
    from contests
    where p_answer_0 is not null
    group by field_id, transcript_id
    having count(*) = 2
),

sides as (
    select
        fields.tournament,
        fields.field_id,
        transcripts.tournament_round,
        transcripts.question_id,
        unnest([0, 1]) as argued_answer,
        unnest([transcripts.debater_0, transcripts.debater_1]) as debater_id,
        unnest([transcripts.debater_1, transcripts.debater_0]) as opponent_id,
        unnest([judged.p_answer_0, 1 - judged.p_answer_0]) as share
    from transcripts
    inner join fields using (tournament, dataset_id)
    left join judged using (field_id, transcript_id)
),

games as (
    select * exclude (share), avg(share) as share
    from sides
    group by all
),

counted as (
    select
        *,
        count(share) over (
            partition by
                tournament, field_id, tournament_round, debater_id, opponent_id, question_id
        ) = 2 as is_counted
    from games
),

met as (
    select
        tournament,
        field_id,
        tournament_round,
        debater_id,
        string_agg(distinct opponent_id, ', ' order by opponent_id) as opponent_id,
        count(*) filter (is_counted) as game_count,
        count(*) filter (not is_counted) as void_count,
        sum(share) filter (is_counted) as won
    from counted
    group by tournament, field_id, tournament_round, debater_id
),

rounds as (
    select everybody.*, every.tournament_round
    from (select distinct tournament, field_id, debater_id from met) as everybody
    inner join (select distinct tournament, field_id, tournament_round from met) as every
        using (tournament, field_id)
),

played as (
    select
        rounds.*,
        met.opponent_id,
        coalesce(met.game_count, 0) as game_count,
        coalesce(met.void_count, 0) as void_count,
        met.won,
        met.debater_id is null
        and coalesce(
            last_value(met.game_count ignore nulls) over (
                partition by rounds.tournament, rounds.field_id, rounds.debater_id
                order by rounds.tournament_round
            ) = 0,
            false
        ) as is_withdrawn
    from rounds
    left join met using (tournament, field_id, tournament_round, debater_id)
),

-- Shares are sums of decimal fractions: as near to one half as 1e-9 is one half.
pointed as (
    select
        *,
        opponent_id is null and not is_withdrawn as is_bye,
        won / nullif(game_count, 0) as win_share,
        case
            when is_withdrawn then 0.0
            when game_count = 0 or abs(won / game_count - 0.5) < 1e-9 then 0.5
            else (won / game_count > 0.5)::bigint::double
        end as points
    from played
),

summed as (
    select
        *,
        sum(points) over until_now as points_so_far,
        sum(won) over until_now / nullif(sum(game_count) over until_now, 0) as win_share_so_far
    from pointed
    window until_now as (
        partition by tournament, field_id, debater_id order by tournament_round
    )
)

select
    summed.* exclude (field_id, won),
    fields.* exclude (tournament),
    rank() over (
        partition by summed.tournament, summed.field_id, summed.tournament_round
        order by summed.points_so_far desc, round(coalesce(summed.win_share_so_far, 0.5), 9) desc
    ) as standing,
    case
        when summed.is_bye then 'bye'
        when summed.is_withdrawn then 'could not go on'
        when summed.game_count = 0 then 'no game that counts'
    end as null_reason
from summed
inner join fields using (tournament, field_id)
