{#
What people said of partial answers, removed ones included. Faultless is what a person found no fault
with: yes in all three tasks.
#}
with

annotations as (select * from {{ loaded('curation_annotations') }}),

said as (
    select dataset_id, task, question_id, partial_answer_id, annotator_id, is_met
    from annotations
    union all
    select
        dataset_id,
        'faultless' as task,
        question_id,
        partial_answer_id,
        annotator_id,
        bool_and(is_met) as is_met
    from annotations
    group by dataset_id, question_id, partial_answer_id, annotator_id
)

select
    * exclude (annotator_id, is_met),
    count(*) as n_annotators,
    list(annotator_id order by annotator_id) as annotators,
    avg(is_met::int) as label_share
from said
group by dataset_id, task, question_id, partial_answer_id
