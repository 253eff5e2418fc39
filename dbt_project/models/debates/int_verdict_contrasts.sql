{#
Which two settings are compared: those of one judge that differ in a single factor, two judges asked
alike, and people beside a judge. Each pair stands once, its two sides in a fixed order.
#}
with

settings as (
    select
        setting_id, experiment, dataset_id, judge_id, variant_id, template, verbalizer, position,
        outcome, reasoning, answer_order, is_human, label_set, label_order
    from {{ ref('int_verdict_settings') }}
),

asked as (
    select
        *,
        coalesce(reasoning::varchar, '') || ' ' || coalesce(answer_order, '') as form
    from settings
    where not is_human
),

-- A template that is always asked for reasons in one way brings that way with it.
templates as (
    select experiment, dataset_id, judge_id, template, count(distinct form) = 1 as is_of_one_form
    from asked
    group by all
),

described as (
    select asked.*, templates.is_of_one_form
    from asked
    inner join templates using (experiment, dataset_id, judge_id, template)
),

varied as (
    select
        one.*,
        other.setting_id as other_setting_id,
        other.template as other_template,
        other.verbalizer as other_verbalizer,
        other.position as other_position,
        other.outcome as other_outcome,
        other.reasoning as other_reasoning,
        other.answer_order as other_answer_order,
        other.form as other_form,
        one.template = other.template as is_same_template,
        coalesce(one.verbalizer, '') = coalesce(other.verbalizer, '') as is_same_verbalizer,
        coalesce(one.position, '') = coalesce(other.position, '') as is_same_position,
        coalesce(one.outcome, '') = coalesce(other.outcome, '') as is_same_outcome,
        one.form = other.form as is_same_form,
        one.form = other.form
        or (one.is_of_one_form and other.is_of_one_form) as is_form_of_template,
        one.label_set = other.label_set as is_same_label_set,
        one.label_order = other.label_order as is_same_label_order,
        one.label_set < other.label_set as is_earlier_label_set,
        other.label_order as other_label_order
    from described as one
    inner join described as other
        using (experiment, dataset_id, judge_id)
    where one.setting_id != other.setting_id
),

of_one_judge as (
    select
        case
            when is_same_template and is_same_verbalizer and is_same_outcome and is_same_form
                then
                    case
                        when position = 'pro_first' and other_position is not null then 'position'
                    end
            when is_same_template and is_same_position and is_same_outcome and is_same_form
                then case
                    when is_same_label_set and label_order = 'set' and other_label_order = 'flipped'
                        then 'label'
                    when not is_same_label_set and is_same_label_order and is_earlier_label_set
                        then 'labels'
                end
            when
                is_same_verbalizer and is_same_position and is_same_outcome and not is_same_template
                then case when is_form_of_template and template < other_template then 'template' end
            when is_same_template and is_same_verbalizer and is_same_position and is_same_form
                then case when outcome = 'winner' and other_outcome = 'loser' then 'outcome' end
            when is_same_template and is_same_verbalizer and is_same_position and is_same_outcome
                then case
                    when reasoning is not null and other_reasoning is not null and form < other_form
                        then 'reasoning'
                end
        end as kind,
        case kind
            when 'position'
                then case other_position
                    when 'con_first' then 'con second - con first'
                    else 'fixed - shuffled'
                end
            when 'label' then verbalizer || ' - ' || other_verbalizer
            when 'labels' then verbalizer || ' - ' || other_verbalizer
            when 'template' then template || ' - ' || other_template
            when 'outcome' then outcome || ' - ' || other_outcome
            when 'reasoning'
                then case
                    when reasoning != other_reasoning then 'without reasons - with reasons'
                    else
                        coalesce(answer_order, 'any order') || ' - '
                        || coalesce(other_answer_order, 'any order')
                end
        end as contrast,
        setting_id as setting_a,
        other_setting_id as setting_b,
        experiment,
        dataset_id
    from varied
),

of_two_judges as (
    select
        'judge' as kind,
        one.judge_id || ' - ' || other.judge_id as contrast,
        one.setting_id as setting_a,
        other.setting_id as setting_b,
        one.experiment,
        one.dataset_id
    from asked as one
    inner join asked as other
        on
            one.experiment = other.experiment
            and one.dataset_id = other.dataset_id
            and one.variant_id = other.variant_id
            and one.judge_id < other.judge_id
),

of_people_and_judges as (
    select
        'human' as kind,
        people.judge_id || ' - ' || asked.judge_id as contrast,
        people.setting_id as setting_a,
        asked.setting_id as setting_b,
        asked.experiment,
        asked.dataset_id
    from settings as people
    inner join asked using (dataset_id)
    where people.is_human
),

contrasts as (
    select * from of_one_judge where kind is not null
    union all
    select * from of_two_judges
    union all
    select * from of_people_and_judges
)

select
    row_number() over (order by setting_a, setting_b) as contrast_id,
    *
from contrasts
