{#
How two judges' majorities fall together on debates that are clusters of their own. A hundred judges
make half a million pairs, so the debates are compared sixty at a time, as bits of a number.
#}
with

bits as (
    select
        group_key,
        setting_id,
        debate_key // 60 as block,
        bit_or(1::bigint << (debate_key % 60)::bigint) as asked,
        coalesce(bit_or(1::bigint << (debate_key % 60)::bigint) filter (is_con), 0) as con,
        coalesce(bit_or(1::bigint << (debate_key % 60)::bigint) filter (not is_con), 0) as pro
    from {{ ref('int_judge_agreement_units') }} as units
    where is_one_debate
    group by all
),

counted as (
    select
        one.group_key,
        one.setting_id as setting_a,
        other.setting_id as setting_b,
        sum(bit_count(one.con & other.con))::bigint as both_con,
        sum(bit_count(one.con & other.pro))::bigint as only_a_con,
        sum(bit_count(one.pro & other.con))::bigint as only_b_con,
        sum(bit_count(one.pro & other.pro))::bigint as both_pro,
        sum(bit_count(one.asked & other.asked))::bigint as asked_count
    from bits as one
    inner join bits as other
        on
            one.group_key = other.group_key
            and one.block = other.block
            and one.setting_id < other.setting_id
    group by all
)

select
    * exclude (group_key, asked_count),
    asked_count - both_con - only_a_con - only_b_con - both_pro as split_count
from counted
-- Near each other is not the same: judges who were asked about no debate in common are no pair.
where asked_count > 0
