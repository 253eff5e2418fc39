{#
Candidates beside people on the instances that both annotated, summed over the instances of a text. A judge's
missing answer is counted apart. A person who is the candidate is none of the others: what their moments were
without that person follows from those of all.
#}
{% set way = [
    'task', 'dataset_id', 'dimension', 'experiment', 'judge_id', 'template', 'variant_id',
] %}
with

annotations as (select * from {{ ref('int_replacement_annotations') }}),

candidates as (select * from {{ ref('int_replacement_candidates') }}),

instances as (
    select
        task, dataset_id, dimension, instance_id, instance_key,
        any_value(mean) as mean
    from annotations
    group by task, dataset_id, dimension, instance_id, instance_key
),

labels as (
    select instance_key, label, any_value(same_count) as same_count
    from annotations
    where label is not null
    group by instance_key, label
),

answers as (
    select
        candidates.candidate_key,
        instances.instance_key,
        judges.label,
        judges.value - instances.mean as deviation,
        coalesce(labels.same_count, 0) as same_count,
        case when instances.mean is null then judges.label is null else judges.value is null end
            as is_missing
    from {{ ref('int_replacement_judges') }} as judges
    inner join instances using (task, dataset_id, dimension, instance_id)
    left join labels using (instance_key, label)
    inner join candidates on {{ alike('judges', 'candidates', way) }}
),

judges_compared as (
    select
        answers.candidate_key,
        annotations.annotator_key,
        annotations.text_key,
        answers.is_missing,
        case
            when answers.is_missing then null
            when annotations.label is not null
                then sign(
                    annotations.same_count - 1
                    - (answers.same_count - (answers.label = annotations.label)::bigint)
                )
            else {{ d_of_scores(
                'annotations.n_people', 'answers.deviation', 'annotations.deviation',
                'annotations.squares'
            ) }}
        end::bigint as d
    from answers
    inner join annotations using (instance_key)
),

-- With w the candidate's deviation, the mean of the others lies w / (n - 1) below that of all, and
-- their squares are w^2 n / (n - 1) less.
people_compared as (
    select
        candidates.candidate_key,
        others.annotator_key,
        others.text_key,
        false as is_missing,
        case
            when others.label is not null
                then
                    others.same_count - 1 - (own.label = others.label)::bigint
                    - (own.same_count - 1 - (own.label = others.label)::bigint)
            else {{ d_of_scores(
                '(others.n_people - 1)',
                '(own.deviation * others.n_people / (others.n_people - 1))',
                '(others.deviation + own.deviation / (others.n_people - 1))',
                '(others.squares - own.deviation ^ 2 * others.n_people / (others.n_people - 1))'
            ) }}
        end as difference
    from annotations as own
    inner join candidates using (task, dataset_id, dimension, annotator_id)
    inner join annotations as others
        on own.instance_key = others.instance_key and own.annotator_key != others.annotator_key
    where own.n_people >= 3
),

compared as (
    select * from judges_compared
    union all
    select * exclude (difference), sign(difference)::bigint from people_compared
)

select
    candidate_key,
    annotator_key,
    text_key,
    count(d) as n_answered,
    count(*) filter (where is_missing) as n_missing,
    coalesce(sum(d), 0)::bigint as d_sum,
    coalesce(sum(d * d), 0)::bigint as d_squares,
    count(*) filter (where d <= 0) as wins
from compared
group by candidate_key, annotator_key, text_key
