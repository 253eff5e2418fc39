{# A partial answer goes where more than half of its annotators say no; a tie keeps it. #}
with

counts as (
    select
        dataset_id,
        task,
        count(*) as n_partial_answers,
        count(*) filter (label_share < 0.5) as removed_count,
        count(*) filter (label_share not in (0, 1)) as split_count,
        len(list_distinct(flatten(list(annotators))))::bigint as n_annotators
    from {{ ref('int_curation_labels') }} as labels
    group by dataset_id, task
),

printed as (
    select 'faultless' as task, max(value::double) / 100 as published_value
    from {{ ref('debateqa_prose') }}
    where fact = 'partial_answer_pass_rate'
)

select
    counts.*,
    estimates.n_questions,
    estimates.estimate as passed_share,
    {{ share_ends(
        'estimates.estimate', 'estimates.half_width', 'estimates.n_questions', 'passed_share'
    ) }},
    printed.published_value,
    case
        {{ when_too_few('estimates.n_questions', 'questions') }}
    end as reason
from counts
inner join {{ ref('int_curation_estimates') }} as estimates
    on counts.dataset_id = estimates.dataset_id and 'passed_' || counts.task = estimates.measure
left join printed using (task)
