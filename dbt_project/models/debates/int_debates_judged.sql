{#
What a verdict is compared with: who won by the data set's own rule, who spoke last, and how much
longer one side is. `debate_key` is short, because tables of millions of verdicts carry it.
#}
with

outcomes as (
    select debate_id, winner as human_winner, margin
    from {{ loaded('debate_outcomes') }}
    where is_primary
),

speeches as (
    select
        debate_id,
        coalesce(sum(word_count) filter (where side = 'pro'), 0)::bigint as words_pro,
        coalesce(sum(word_count) filter (where side = 'con'), 0)::bigint as words_con
    from {{ ref('stg_raw__speeches') }}
    group by debate_id
),

filters as (
    select debate_id, bool_or(is_removed) as is_removed
    from {{ loaded('debate_filters') }}
    group by debate_id
)

select
    row_number() over (order by debates.debate_id) as debate_key,
    debates.debate_id,
    debates.dataset_id,
    dense_rank() over (order by debates.cluster_id) as cluster_key,
    debates.cluster_id,
    outcomes.human_winner,
    outcomes.margin,
    debates.end_side,
    debates.round_count,
    coalesce(speeches.words_pro, 0) as words_pro,
    coalesce(speeches.words_con, 0) as words_con,
    case
        when speeches.words_pro > 0 and speeches.words_con > 0
            then log2(speeches.words_con / speeches.words_pro)
    end as log2_length_ratio,
    coalesce(filters.is_removed, false) as is_removed
from {{ ref('stg_raw__debates') }} as debates
left join outcomes using (debate_id)
left join speeches using (debate_id)
left join filters using (debate_id)
