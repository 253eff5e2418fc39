{#
What position or labels change in each debate: the difference of two ways of asking that differ in nothing
else, before it is pooled.
#}
{{ config(meta={'parts_of': 'int_verdict_units'}) }}
with

units as not materialized (
    select
        setting_id, debate_key, cluster_key, con_share, is_con::tinyint as vote, parsed_count
    from {{ ref('int_verdict_units') }}
    where parsed_count > 0
),

pairs as (
    select * from {{ ref('int_bias_pairs') }}
    where is_neutral and {{ in_part('group_id') }}
),

-- Materialized, so that a debate is joined within its pairs only: it is in thousands of settings,
-- and DuckDB does not know that of tables on a lake.
firsts as materialized (
    select pairs.group_id, pairs.contrast_id, pairs.setting_b, units.*
    from pairs
    inner join units on pairs.setting_a = units.setting_id
)

select
    one.group_id,
    one.contrast_id as arm_id,
    one.debate_key as unit_key,
    one.cluster_key,
    one.con_share - other.con_share as share,
    one.vote - other.vote as vote,
    one.parsed_count + other.parsed_count as parsed_count
from firsts as one
inner join units as other
    on one.setting_b = other.setting_id and one.debate_key = other.debate_key
