{#
The unit of every test on verdicts: one debate under one setting, with repeats averaged to a share
first. A tie of a judge counts as half a verdict for Con; `is_con` is the majority over repeats, and
unknown where they are split evenly. Which label of its set Pro carried is the setting's, or what the
debate drew.

Almost every debate has one verdict under a setting, which is passed as it is: to group millions of them
takes longer than all the rest. So repeats are found 512 debates at a time, a bit for each.
#}
{{ config(meta={'parts_of': 'fct_verdict'}) }}
{% set block_size = 512 %}
with

answers as (
    select
        experiment, dataset_id, judge_id, variant_id, debate_id, winner, p_pro,
        request_status = 'answered' as is_answered, first_side, pro_label, cost_usd
    from {{ ref('fct_verdict') }}
    where is_current and not is_stale and {{ in_part('judge_id') }}
    union all
    select
        {{ human() }} as experiment,
        dataset_id,
        judge_id,
        {{ variant_id(human(), outcome="'winner'") }} as variant_id,
        debate_id,
        choice as winner,
        p_pro,
        true as is_answered,
        null as first_side,
        null as pro_label,
        null as cost_usd
    from {{ loaded('human_verdicts') }}
    where is_final and {{ in_part('judge_id') }}
),

settings as (
    select
        setting_id, experiment, dataset_id, judge_id, variant_id,
        split_part(label_set, '/', 1) as first_label,
        split_part(label_set, '/', 2) as second_label,
        case label_order when 'set' then true when 'flipped' then false end as pro_has_first_label
    from {{ ref('int_verdict_settings') }}
),

debates as (
    select
        debate_id, debate_key, cluster_key, log2_length_ratio, round_count,
        case human_winner when 'con' then true when 'pro' then false end as human_is_con,
        case end_side when 'con' then true when 'pro' then false end as con_closes
    from {{ ref('int_debates_judged') }}
),

described as (
    select
        settings.setting_id,
        debates.debate_key,
        debates.debate_key // {{ block_size }} as block_id,
        answers.winner = 'con' as is_con,
        answers.winner = 'pro' as is_pro,
        answers.p_pro,
        answers.is_answered,
        answers.cost_usd,
        answers.first_side = 'pro' as is_con_second,
        coalesce(
            pro_has_first_label,
            case pro_label when first_label then true when second_label then false end
        ) as pro_has_first_label
    from answers
    inner join settings using (experiment, dataset_id, judge_id, variant_id)
    inner join debates using (debate_id)
),

repeated as (
    select setting_id, block_id
    from described
    group by setting_id, block_id
    having
        count(*) > bit_count(bitstring_agg(
            (debate_key % {{ block_size }})::integer, 0, {{ block_size - 1 }}
        ))
),

counted as (
    select
        setting_id,
        debate_key,
        count(*) as answer_count,
        count(*) filter (where not is_answered) as unanswered_count,
        count(is_con) as parsed_count,
        count(*) filter (where is_con) as con_count,
        count(*) filter (where is_pro) as pro_count,
        avg(p_pro) as p_pro,
        case when count(cost_usd) = count(*) then sum(cost_usd) end as cost_usd,
        bool_and(is_con_second) as is_con_second,
        bool_and(pro_has_first_label) as pro_has_first_label
    from described
    semi join repeated using (setting_id, block_id)
    group by setting_id, debate_key
    union all
    select
        setting_id,
        debate_key,
        1 as answer_count,
        (not is_answered)::bigint as unanswered_count,
        (is_con is not null)::bigint as parsed_count,
        coalesce(is_con, false)::bigint as con_count,
        coalesce(is_pro, false)::bigint as pro_count,
        p_pro,
        cost_usd,
        is_con_second,
        pro_has_first_label
    from described
    anti join repeated using (setting_id, block_id)
)

select
    counted.* exclude (con_count, pro_count),
    debates.* exclude (debate_id, debate_key),
    counted.answer_count - counted.unanswered_count - counted.parsed_count as unparsed_count,
    counted.parsed_count - counted.con_count - counted.pro_count as tie_count,
    (counted.con_count + counted.parsed_count - counted.pro_count)
    / nullif(2.0 * counted.parsed_count, 0) as con_share,
    case when counted.con_count != counted.pro_count then counted.con_count > counted.pro_count end
        as is_con
from counted
inner join debates using (debate_key)
