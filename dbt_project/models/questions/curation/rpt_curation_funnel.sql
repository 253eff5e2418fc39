{#
A rule sees what the rules before it left. What the DebateQA paper had left stands beside the rule that
does the same.
#}
with

printed (step, rule, fact, qualifier) as (
    values
    ('merge', 'blank\_question', 'questions', 'before deduplication'),
    ('deduplicate', 'near\_duplicate', 'questions', 'after deduplication'),
    (
        'documents', 'fewer\_than\_%\_documents', 'questions',
        'after dropping those with fewer than 3 documents'
    ),
    (
        'points_of_view', 'fewer\_than\_%\_points\_of\_view', 'questions',
        'after dropping those with fewer than 3 points of view'
    ),
    ('annotation', 'faulty\_in\_some\_way', 'partial_answers', 'final')
),

published as (
    select printed.step, printed.rule, prose.value::bigint as published_after
    from printed
    inner join {{ ref('debateqa_prose') }} as prose using (fact, qualifier)
)

select
    steps.* exclude (is_done),
    rules.* exclude (dataset_id, step, step_order),
    rules.n_before - rules.n_affected as n_after,
    rules.n_affected / nullif(rules.n_before, 0)::double as affected_share,
    published.published_after,
    case
        when not steps.is_done then 'the step has not been done'
        when rules.rule is null then 'the step removes nothing'
        when rules.effect = 'notes' then 'a note, not a rule'
    end as reason
from {{ ref('stg_raw__curation_steps') }} as steps
left join {{ loaded('curation_rules') }} as rules using (dataset_id, step)
left join published on rules.step = published.step and rules.rule like published.rule escape '\'
