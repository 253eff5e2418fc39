{#
Every annotation of an instance that at least two people annotated, with what a comparison needs of the
instance's others: how many gave the same label; the deviation from their mean, and the sum of the squares
of all of these.
#}
{% set of_instance = ['task', 'dataset_id', 'dimension', 'instance_id'] %}
with

people as (
    select *
    from {{ ref('int_replacement_people') }}
    where label is not null or value is not null
),

instances as (
    select
        {{ of_instance | join(', ') }},
        any_value(text_id) as text_id,
        count(*) as n_people,
        avg(value) as mean,
        var_pop(value) * count(value) as squares
    from people
    group by {{ of_instance | join(', ') }}
    having count(*) >= 2
)

select
    people.task,
    people.dataset_id,
    people.dimension,
    dense_rank() over (
        order by people.task, people.dataset_id, people.dimension, people.instance_id
    ) as instance_key,
    dense_rank() over (
        order by people.task, people.dataset_id, people.dimension, instances.text_id
    ) as text_key,
    dense_rank() over (
        order by people.task, people.dataset_id, people.dimension, people.annotator_id
    ) as annotator_key,
    people.instance_id,
    people.annotator_id,
    people.label,
    people.value,
    instances.n_people,
    instances.mean,
    instances.squares,
    people.value - instances.mean as deviation,
    count(*) over (
        partition by
            people.task, people.dataset_id, people.dimension, people.instance_id, people.label
    ) as same_count
from people
inner join instances using ({{ of_instance | join(', ') }})
