{#
The unit of every test on verdicts: one debate under one setting, with repeats averaged to a share
first. A tie of a judge counts as half a verdict for Con; `is_con` is the majority over repeats, and
unknown where they are split evenly. Which label of its set Pro carried is the setting's, or what the
debate drew.
#}
{{ config(meta={'parts_of': 'fct_verdict'}) }}
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
    from {{ ref('stg_raw__human_verdicts') }}
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

counted as (
    select
        settings.setting_id,
        debates.debate_key,
        count(*) as answer_count,
        count(*) filter (where not is_answered) as unanswered_count,
        count(winner) as parsed_count,
        count(*) filter (where winner = 'con') as con_count,
        count(*) filter (where winner = 'pro') as pro_count,
        avg(p_pro) as p_pro,
        case when count(cost_usd) = count(*) then sum(cost_usd) end as cost_usd,
        bool_and(first_side = 'pro') as is_con_second,
        bool_and(coalesce(
            pro_has_first_label,
            case pro_label when first_label then true when second_label then false end
        )) as pro_has_first_label
    from answers
    inner join settings using (experiment, dataset_id, judge_id, variant_id)
    inner join debates using (debate_id)
    group by settings.setting_id, debates.debate_key
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
