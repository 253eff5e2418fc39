{#
What each judge is worth on each task, in every way it was asked, with people on the same units. Every
figure is a column of another mart.
#}
{% set share_margin = var('level_margin_share') %}
with

ranks as (select * from {{ ref('rpt_judge_ranks') }}),

raters as (select * from {{ ref('rpt_rater_agreement') }}),

protocols as (select * from {{ ref('rpt_protocol_accuracy') }}),

rater_people as (
    select
        judges.dataset_id,
        judges.dimension,
        judges.template,
        judges.min_shared_items,
        judges.judge_id,
        {{ beside_people(
            'people.judge_id', 'people.mean_kappa', 'judges.kappa_minus_human',
            'judges.kappa_minus_human_low', 'judges.kappa_minus_human_high', 'people.n_units',
            var('level_margin_coefficient')
        ) }}
    from raters as judges
    inner join raters as people using (dataset_id, dimension, min_shared_items)
    where people.judge_id = {{ human() }} and judges.kappa_minus_human is not null
    group by all
),

verdict_people as (
    select
        dataset_id,
        experiment,
        variant_b as variant_id,
        judge_b as judge_id,
        {{ beside_people(
            'judge_a', 'accuracy_a', '-difference', '-difference_high', '-difference_low', 'n_units',
            share_margin
        ) }}
    from {{ ref('rpt_verdict_comparison') }}
    where comparison = 'human' and difference is not null
    group by all
),

protocol_people as (
    select
        dataset_id,
        template,
        asked_for,
        answer_order,
        protocol,
        debater,
        debater_kind,
        selection,
        judge_id,
        {{ beside_people(
            'people_mode', 'people_value', 'difference', 'difference_low', 'difference_high',
            'n_units', share_margin
        ) }}
    from {{ ref('rpt_judge_against_people') }}
    where measure = 'accuracy' and moment = 'verdict' and honesty = 'all'
    group by all
),

-- The paper lets two people count who share 50 speeches.
speeches as (
    select
        'speeches' as task,
        ranks.*,
        concat_ws(', ', ranks.template, 'at least ' || ranks.min_shared_items || ' shared')
            as asked,
        case ranks.min_shared_items when 50 then 0 else 1 end as preference,
        raters.kappa_low as estimate_low,
        raters.kappa_high as estimate_high,
        raters.undefined_reason as estimate_reason,
        0.0 as floor_value,
        'chance' as floor_kind,
        rater_people.* exclude (dataset_id, dimension, template, min_shared_items, judge_id)
    from ranks
    inner join raters using (dataset_id, dimension, template, min_shared_items, judge_id)
    left join rater_people using (dataset_id, dimension, template, min_shared_items, judge_id)
    where ranks.measure = 'mean_kappa'
),

debates as (
    select
        'debates' as task,
        ranks.*,
        concat_ws(
            ', ', ranks.template, verdicts.verbalizer, verdicts.position, 'the ' || verdicts.outcome
        ) as asked,
        case verdicts.outcome when 'loser' then 1 else 0 end as preference,
        verdicts.accuracy_low as estimate_low,
        verdicts.accuracy_high as estimate_high,
        verdicts.reason as estimate_reason,
        0.5 as floor_value,
        'chance' as floor_kind,
        verdict_people.* exclude (dataset_id, experiment, variant_id, judge_id)
    from ranks
    inner join {{ ref('rpt_verdict_accuracy') }} as verdicts
        using (dataset_id, experiment, variant_id, judge_id)
    left join verdict_people using (dataset_id, experiment, variant_id, judge_id)
    where ranks.measure = 'accuracy' and verdicts.round_count is null
),

questions as (
    select
        'questions' as task,
        dataset_id,
        evaluator_template as template,
        evaluator_id as judge_id,
        'dispute_accuracy' as measure,
        'higher' as better,
        accuracy as estimate,
        n_answers as n_units,
        n_questions as n_clusters,
        n_answers >= {{ var('min_units_to_name') }}
        and n_questions >= {{ var('min_clusters_to_name') }} as is_nameable,
        evaluator_template as asked,
        0 as preference,
        accuracy_low as estimate_low,
        accuracy_high as estimate_high,
        reason as estimate_reason,
        baseline_accuracy as floor_value,
        'majority_label' as floor_kind
    from {{ ref('rpt_dispute_accuracy') }}
),

parliamentary as (
    select
        'parliamentary' as task,
        ranks.*,
        concat_ws(', ', houses.template, houses.strategy, houses.manual, houses.house_order)
            as asked,
        0 as preference,
        houses.value_low as estimate_low,
        houses.value_high as estimate_high,
        houses.null_reason as estimate_reason,
        houses.by_chance as floor_value,
        'chance' as floor_kind
    from ranks
    inner join {{ ref('dim_adjudication_setting') }} as settings
        using (dataset_id, template, variant_id, judge_id)
    inner join {{ ref('rpt_bp_verdict') }} as houses using (setting_id, measure)
    where ranks.measure = 'mean_rank_difference' and ranks.dimension = 'house_ranks'
),

-- What a judge has without help, and with the whole story, are floor and ceiling of the rest.
oversight as (
    select
        'oversight' as task,
        ranks.*,
        concat_ws(', ', protocols.protocol, protocols.debater, protocols.template) as asked,
        case
            when not protocols.is_headline then 2 when protocols.protocol = 'debate' then 0 else 1
        end
            as preference,
        protocols.accuracy_low as estimate_low,
        protocols.accuracy_high as estimate_high,
        protocols.reason as estimate_reason,
        protocols.naive_accuracy as floor_value,
        'naive' as floor_kind,
        protocols.expert_accuracy as ceiling_value,
        people.* exclude (
            dataset_id,
            template,
            asked_for,
            answer_order,
            protocol,
            debater,
            debater_kind,
            selection,
            judge_id
        )
    from ranks
    inner join protocols
        on
            ranks.dataset_id = protocols.dataset_id
            and ranks.dimension = protocols.protocol
            and ranks.template = protocols.template
            and ranks.variant_id = protocols.variant_id
            and ranks.judge_id = protocols.judge_id
    left join protocol_people as people
        on
            protocols.dataset_id = people.dataset_id
            and protocols.template = people.template
            and protocols.asked_for = people.asked_for
            and protocols.answer_order = people.answer_order
            and protocols.protocol = people.protocol
            and protocols.debater = people.debater
            and protocols.debater_kind = people.debater_kind
            and protocols.selection = people.selection
            and protocols.judge_id = people.judge_id
    where
        ranks.measure = 'protocol_accuracy'
        and ranks.dimension not in ('naive', 'expert')
),

every_task as (
    {% for task in ['speeches', 'debates', 'questions', 'parliamentary', 'oversight'] %}
        select * from {{ task }}
        {{ 'union all by name' if not loop.last }}
    {% endfor %}
)

select
    * exclude (estimate_reason, reason, is_ensemble, evaluator_id, evaluator_template, shown),
    shown.human_value,
    shown.difference,
    shown.difference_low,
    shown.difference_high,
    shown.n_shared::bigint as n_shared,
    concat_ws(' / ', experiment, dimension, template, variant_id, min_shared_items) as setting,
    case when estimate is null then coalesce(estimate_reason, 'undefined on these data') end
        as estimate_reason
from every_task
