{#
Verdicts on debates between models, from logs. A model whose family nobody states is its own family: what
is left of preference for one's own family is then preference for oneself. Each debate weighs 1.
#}
with

families as (select judge_id, family from {{ ref('stg_raw__judges') }} where family is not null),

stated as (
    select
        verdicts.* exclude (judge),
        verdicts.judge as judge_id,
        coalesce(verdicts.pro_family, pro.family, verdicts.pro_debater) as family_of_pro,
        coalesce(verdicts.con_family, con.family, verdicts.con_debater) as family_of_con,
        coalesce(verdicts.judge_family, judges.family, verdicts.judge) as family_of_judge
    from {{ ref('stg_raw__logged_verdicts') }} as verdicts
    left join families as pro on verdicts.pro_debater = pro.judge_id
    left join families as con on verdicts.con_debater = con.judge_id
    left join families as judges on verdicts.judge = judges.judge_id
)

select
    dataset_id,
    judge_id,
    debate_id,
    motion as cluster_id,
    pro_debater,
    con_debater,
    case winner when 'pro' then 1.0 when 'tie' then 0.5 when 'con' then 0.0 end::double as share,
    margin,
    1.0 / nullif(count(winner) over (partition by debate_id), 0) as weight,
    log2(nullif(pro_words, 0) / nullif(con_words, 0)) as log2_length_ratio,
    (family_of_pro = family_of_judge)::integer - (family_of_con = family_of_judge)::integer
        as own_family,
    {{ var('min_units_for_interval') }}::bigint as min_units
from stated
