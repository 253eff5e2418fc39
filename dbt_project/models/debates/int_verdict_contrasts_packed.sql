{#
Each setting's verdicts as strings of bits, so that two settings are compared 512 clusters at a time: a
pair of settings costs a few rows instead of one per debate. 533,000 contrasts of 10 million verdicts are
packed and counted in 5 seconds on two threads (measured 2026-11-21).

A pattern is what a setting said on the debates of one cluster. Clusters whose debates people decided
alike are numbered together, and a bit is set where the cluster shows the pattern.
#}
{% set block_size = 512 %}
with

units as (
    select setting_id, debate_key, cluster_key, con_share, is_con, human_is_con, parsed_count
    from {{ ref('int_verdict_units') }}
    where parsed_count > 0
),

judged as (select distinct cluster_key from units),

debates as (
    select
        debate_key,
        dataset_id,
        cluster_key,
        human_winner,
        row_number()
            over (partition by dataset_id, cluster_key order by debate_key)
            as debate_number
    from {{ ref('int_debates_judged') }}
    inner join judged using (cluster_key)
),

clusters as (
    select
        dataset_id,
        cluster_key,
        count(*) as debate_count,
        list(coalesce(human_winner, '') order by debate_number) as winners
    from debates
    group by dataset_id, cluster_key
),

numbered as (
    select
        *,
        row_number() over (partition by dataset_id, winners order by cluster_key) - 1 as number
    from clusters
),

placed as (
    select
        dataset_id,
        cluster_key,
        debate_count,
        dense_rank() over (order by dataset_id, winners, number // {{ block_size }}) as block_id,
        (number % {{ block_size }})::integer as place
    from numbered
),

-- A cluster of one debate needs no list, and there are millions of them.
said_once as (
    select
        units.setting_id,
        placed.block_id,
        units.con_share,
        units.is_con,
        units.human_is_con,
        units.parsed_count,
        bitstring_agg(placed.place, 0, {{ block_size - 1 }}) as bits
    from units
    inner join debates using (debate_key)
    inner join placed
        on debates.dataset_id = placed.dataset_id and debates.cluster_key = placed.cluster_key
    where placed.debate_count = 1
    group by all
),

said_in_clusters as (
    select
        units.setting_id,
        placed.block_id,
        placed.place,
        list(
            struct_pack(
                debate_number := debates.debate_number,
                con_share := units.con_share,
                is_con := units.is_con,
                human_is_con := units.human_is_con,
                parsed_count := units.parsed_count
            )
            order by debates.debate_number
        ) as pattern
    from units
    inner join debates using (debate_key)
    inner join placed
        on debates.dataset_id = placed.dataset_id and debates.cluster_key = placed.cluster_key
    where placed.debate_count > 1
    group by units.setting_id, placed.block_id, placed.place
),

packed as (
    select
        setting_id,
        block_id,
        [struct_pack(
            debate_number := 1::bigint,
            con_share := con_share,
            is_con := is_con,
            human_is_con := human_is_con,
            parsed_count := parsed_count
        )] as pattern,
        bits
    from said_once
    union all
    select
        setting_id,
        block_id,
        pattern,
        bitstring_agg(place, 0, {{ block_size - 1 }}) as bits
    from said_in_clusters
    group by setting_id, block_id, pattern
)

select
    setting_id,
    block_id,
    dense_rank() over (order by pattern) as pattern_id,
    pattern,
    -- A lake stores no bits.
    bits::blob as bits
from packed
