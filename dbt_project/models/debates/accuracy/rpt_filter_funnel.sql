{# How many debates each rule removed, in the order of the rules, and how many were left. #}
with

rules as (select * from {{ loaded('filter_rules') }}),

debates as (select * from {{ loaded('debate_filters') }}),

removed as (
    select dataset_id, rule, count(*) as removed_count
    from debates
    where is_removed
    group by dataset_id, rule
),

sizes as (
    select
        dataset_id, count(*) as debate_count, count(*) filter (where not is_removed) as kept_count
    from debates
    group by dataset_id
),

steps as (
    select
        rules.*,
        coalesce(removed.removed_count, 0) as removed_count,
        sizes.debate_count - coalesce(sum(removed.removed_count) over (
            partition by rules.dataset_id order by rules.rule_order
        ), 0)::bigint as debates_after
    from rules
    inner join sizes using (dataset_id)
    left join removed on rules.dataset_id = removed.dataset_id and rules.rule = removed.rule
)

select
    dataset_id,
    rule_order,
    rule,
    description,
    setting,
    debates_after + removed_count as debates_before,
    removed_count,
    debates_after
from steps
union all
select
    rules.dataset_id,
    max(rules.rule_order) + 1,
    'kept',
    'Debates that judges may read.',
    null,
    any_value(sizes.kept_count),
    0,
    any_value(sizes.kept_count)
from rules
inner join sizes using (dataset_id)
group by rules.dataset_id
