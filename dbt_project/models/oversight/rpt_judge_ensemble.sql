{#
Of K judges a are right on a unit, b wrong and c undecided. Of the choices of k of them
C(a, x) C(b, y) C(c, k - x - y) have x right and y wrong ones; their vote is right where x > y, and half
right where x = y.
#}
{% set keys = oversight_keys(['judge_id', 'selection', 'mode', 'answer_order', 'is_interactive']) %}
with

-- A judge that was asked in both orders has one vote with the mean of both, also where each order
-- was asked in another repeat and has a row of its own.
asked as (
    select
        {{ keys | join(', ') }},
        judge_id,
        unit_id,
        cluster_id,
        right_answer,
        avg(lean) as lean
    from {{ ref('int_oversight_units') }}
    where probe = 'none' and is_main_order and source = 'model' and not is_interactive
    group by {{ keys | join(', ') }}, judge_id, unit_id, cluster_id, right_answer
),

votes as (
    select
        {{ key_of(keys) }} as group_id,
        *,
        case when lean = 0.5 then 0 when (lean < 0.5) = (right_answer = 1) then 1 else -1 end
            as vote,
        lean is not null as is_readable
    from asked
),

members as (
    select
        group_id,
        {{ keys | join(', ') }},
        count(distinct judge_id) as judge_count,
        string_agg(distinct judge_id, ', ' order by judge_id) as judges,
        count(distinct unit_id) filter (where right_answer is not null) as unit_count
    from votes
    group by group_id, {{ keys | join(', ') }}
    having count(distinct judge_id) > 1
),

-- A judge asked about one unit in one order and about another in both has a vote on either.
units as (
    select
        votes.group_id,
        unit_id,
        any_value(cluster_id) as cluster_id,
        any_value(members.judge_count) as judge_count,
        count(*) filter (where vote = 1) as right_count,
        count(*) filter (where vote = -1) as wrong_count,
        count(*) filter (where vote = 0) as tie_count
    from votes
    inner join members using (group_id)
    where is_readable and right_answer is not null
    group by votes.group_id, unit_id
    having count(*) = any_value(members.judge_count)
),

sizes as (
    select group_id, judge_count, unnest(range(1, judge_count + 1)) as k from members
),

-- Units with the same votes have the same chance.
patterns as (
    select distinct units.group_id, units.judge_count, k, right_count, wrong_count, tie_count
    from units
    inner join sizes using (group_id)
),

chances as (
    select
        group_id,
        k,
        right_count,
        wrong_count,
        tie_count,
        sum(
            case when x > y then 1.0 when x = y then 0.5 else 0.0 end
            * {{ choices('right_count', 'x') }} * {{ choices('wrong_count', 'y') }}
            * {{ choices('tie_count', '(k - x - y)') }} / {{ choices('judge_count', 'k') }}
        ) as chance
    from patterns
    cross join lateral (select unnest(range(0, least(right_count, k) + 1)) as x) as rights
    cross join lateral (select unnest(range(0, least(wrong_count, k - x) + 1)) as y) as wrongs
    where k - x - y <= tie_count
    group by group_id, k, right_count, wrong_count, tie_count
),

scored as (
    select
        units.group_id,
        chances.k,
        units.unit_id,
        units.cluster_id,
        least(1.0, chances.chance) as score,
        least(1.0, chances.chance) - first_value(least(1.0, chances.chance)) over (
            partition by units.group_id, units.unit_id order by chances.k
        ) as gain
    from units
    inner join chances using (group_id, right_count, wrong_count, tie_count)
),

sums as (
    select
        group_id, k, cluster_id,
        count(*) as unit_count,
        sum(score) as score_sum,
        sum(gain) as gain_sum
    from scored
    group by group_id, k, cluster_id
),

measured as (
    select
        group_id,
        k,
        sum(unit_count)::bigint as n_units,
        count(*) as n_clusters,
        sum(score_sum) / sum(unit_count) as accuracy,
        {{ half_width_over_clusters('score_sum', 'unit_count') }} as accuracy_half,
        sum(gain_sum) / sum(unit_count) as gain,
        {{ half_width_over_clusters('gain_sum', 'unit_count') }} as gain_half
    from sums
    group by group_id, k
)

select
    {{ keys | join(', ') }},
    members.judge_count,
    members.judges,
    sizes.k,
    {{ choices('members.judge_count', 'sizes.k') }} as subset_count,
    coalesce(n_units, 0) as n_units,
    members.unit_count - coalesce(n_units, 0) as dropped_count,
    coalesce(n_clusters, 0) as n_clusters,
    accuracy,
    {{ share_ends('accuracy', 'accuracy_half', 'n_clusters') }},
    gain,
    {{ clipped_ends('gain', 'gain_half', '-1.0', '1.0') }},
    case
        when n_units is null then 'no unit that every judge judged'
        {{ when_too_few('n_clusters', 'stories or people') }}
    end as reason
from members
inner join sizes using (group_id)
left join measured using (group_id, k)
