{#
The alternative annotator test's result at each margin, of judges and, to compare with, of each person: how many
people the candidate is not worse than, and how often it is as close to the others as they are.
#}
{% set scope = ['task', 'dataset_id', 'dimension'] %}
{% set way = ['experiment', 'judge_id', 'template', 'variant_id'] %}
with

counted as (
    select
        candidate_key,
        epsilon,
        count(*) filter (where method = 'by_text') as n_annotators,
        count(*) filter (where method = 'by_text' and is_rejected) as rejected_count,
        count(*) filter (where method = 'paper') as n_annotators_paper,
        count(*) filter (where method = 'paper' and is_rejected) as rejected_count_paper,
        count(*) filter (where method = 'failures_lost') as n_annotators_failures_lost,
        count(*) filter (where method = 'failures_lost' and is_rejected)
            as rejected_count_failures_lost,
        avg(wins / n::double) filter (where method = 'failures_lost') as advantage_failures_lost
    from {{ ref('int_replacement_tests') }}
    group by candidate_key, epsilon
),

-- Instances that two people annotated beside a judge, three beside a person who is one of them.
instances as (
    select
        {{ scope | join(', ') }}, instance_id,
        any_value(n_people) as n_people,
        any_value(label is not null) as is_labelled
    from {{ ref('int_replacement_annotations') }}
    group by {{ scope | join(', ') }}, instance_id
),

answered as (
    select
        {{ (scope + way) | join(', ') }},
        null::varchar as annotator_id,
        count(*) filter (where judges.label is not null or judges.value is not null) as n_instances,
        count(*) filter (where judges.label is null and judges.value is null) as missing_count,
        count(distinct coalesce(judges.label, judges.value::varchar)) as distinct_count
    from {{ ref('int_replacement_judges') }} as judges
    inner join instances using ({{ scope | join(', ') }}, instance_id)
    group by {{ (scope + way) | join(', ') }}
    union all
    select
        {{ scope | join(', ') }}, null, null, null, null, annotator_id,
        count(*) filter (where n_people >= 3),
        0,
        count(distinct coalesce(label, value::varchar))
    from {{ ref('int_replacement_annotations') }}
    group by {{ scope | join(', ') }}, annotator_id
),

scoring as (
    select
        {{ scope | join(', ') }},
        case when bool_or(is_labelled) then 'accuracy' else 'negative RMSE' end as scoring
    from instances
    group by {{ scope | join(', ') }}
),

margins as (select unnest({{ replacement_margins() }})::double as epsilon),

rated as (
    select
        candidates.*,
        margins.epsilon,
        scoring.scoring,
        answered.* exclude ({{ (scope + way) | join(', ') }}, annotator_id),
        case when candidates.is_person then 2 else 3 end as least_people,
        {{ or_zero(['n_annotators', 'n_annotators_paper', 'n_annotators_failures_lost']) }},
        counted.* exclude (
            candidate_key, epsilon, n_annotators, n_annotators_paper, n_annotators_failures_lost
        ),
        case when n_annotators >= least_people then rejected_count / n_annotators::double end
            as winning_rate,
        case
            when n_annotators_paper >= least_people
                then rejected_count_paper / n_annotators_paper::double
        end as winning_rate_paper,
        case
            when n_annotators_failures_lost >= least_people
                then rejected_count_failures_lost / n_annotators_failures_lost::double
        end as winning_rate_failures_lost
    from {{ ref('int_replacement_candidates') }} as candidates
    cross join margins
    inner join scoring using ({{ scope | join(', ') }})
    left join counted using (candidate_key, epsilon)
    inner join answered on {{ alike('candidates', 'answered', scope + way + ['annotator_id']) }}
),

people as (
    select
        {{ scope | join(', ') }},
        epsilon,
        count(winning_rate) as n_people,
        avg(winning_rate) as people_winning_rate
    from rated
    where is_person
    group by {{ scope | join(', ') }}, epsilon
)

select
    rated.task,
    rated.dataset_id,
    rated.dimension,
    rated.experiment,
    case when rated.is_person then {{ human() }} else rated.judge_id end as judge_id,
    rated.template,
    rated.variant_id,
    rated.annotator_id,
    rated.epsilon,
    rated.scoring,
    rated.n_annotators,
    rated.n_instances,
    coalesce(own.n_texts, 0)::bigint as n_units,
    rated.missing_count,
    rated.distinct_count,
    case when rated.winning_rate is not null then rated.rejected_count end as rejected_count,
    rated.winning_rate,
    rated.winning_rate >= 0.5 as passes,
    rated.winning_rate_paper,
    rated.winning_rate_failures_lost,
    case when rated.n_annotators_paper >= rated.least_people then own.advantage end
        as advantage_probability,
    case
        when rated.n_annotators_paper >= rated.least_people
            then {{ clustered_share_bound('own.advantage', 'own.half', 'own.n_texts', -1) }}
    end as advantage_probability_low,
    case
        when rated.n_annotators_paper >= rated.least_people
            then {{ clustered_share_bound('own.advantage', 'own.half', 'own.n_texts', 1) }}
    end as advantage_probability_high,
    case
        when rated.n_annotators_failures_lost >= rated.least_people
            then rated.advantage_failures_lost
    end as advantage_probability_failures_lost,
    coalesce(people.n_people, 0) as n_people,
    people.people_winning_rate,
    of_people.advantage as people_advantage_probability,
    {{ share_ends(
        'of_people.advantage', 'of_people.half', 'of_people.n_texts', 'people_advantage_probability'
    ) }},
    case
        when rated.winning_rate is not null then null
        when rated.n_instances = 0 then 'no answer on an instance that enough people annotated'
        when rated.n_annotators_paper >= rated.least_people
            then
                'fewer than ' || rated.least_people
                || ' people whose instances are of two texts or more'
        else
            'fewer than ' || rated.least_people
            || ' people with {{ var("min_items_per_annotator") }} instances that others annotated,'
            || ' too'
    end as reason
from rated
left join people using ({{ scope | join(', ') }}, epsilon)
left join {{ ref('int_replacement_advantages') }} as own using (candidate_key)
left join {{ ref('int_replacement_advantages') }} as of_people
    on
        rated.task = of_people.task
        and rated.dataset_id = of_people.dataset_id
        and rated.dimension = of_people.dimension
        and of_people.candidate_key is null
