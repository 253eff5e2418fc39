{# How many questions each rule removed, in the order of the rules, and how many were left. #}
with

-- The rules of a data set of debates, which may have stories too, remove debates.
rules as (
    select *
    from {{ loaded('filter_rules') }}
    where dataset_id not in (select dataset_id from {{ loaded('debate_filters') }})
),

steps as (
    select dataset_id, rule_order, rule, description, setting from rules
    union all
    select dataset_id, max(rule_order) + 1, 'kept', 'Questions that may be debated.', null
    from rules
    group by dataset_id
),

-- A question is there until the rule that removes it.
broken as (
    select questions.*, coalesce(rules.rule_order, 1000000) as removed_at
    from {{ loaded('reading_questions') }} as questions
    left join rules
        on questions.dataset_id = rules.dataset_id and questions.removal_rule = rules.rule
)

select
    steps.*,
    count(*) filter (where removed_at >= steps.rule_order) as questions_before,
    count(*) filter (where removed_at = steps.rule_order) as removed_count,
    count(*) filter (where removed_at > steps.rule_order) as questions_after,
    count(*) filter (where removed_at > steps.rule_order and right_answer is null)
        as withheld_count,
    count(distinct story_id) filter (where removed_at > steps.rule_order) as story_count
from steps
inner join broken on steps.dataset_id = broken.dataset_id
group by steps.dataset_id, steps.rule_order, steps.rule, steps.description, steps.setting
