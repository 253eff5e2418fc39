{#
Whether each judge may stand in for one of the people who annotated a data set. Whoever the people are, it may
where it passes at the margin for crowds, with every missing answer lost; and may not where it fails at the one
for experts. Between the two it depends on who they are, which the data do not say. A judge that always says the
same may pass, too, where people differ much: near the middle it is closer to the others than most.
#}
{% set way = [
    'task', 'dataset_id', 'dimension', 'experiment', 'judge_id', 'template', 'variant_id',
] %}
{% set least = var('min_items_per_annotator') %}
with

results as (
    select
        {{ way | join(', ') }},
        max(rejected_count) filter (where epsilon = 0.1) as rejected_10,
        max(rejected_count) filter (where epsilon = 0.15) as rejected_15,
        max(rejected_count) filter (where epsilon = 0.2) as rejected_20,
        max(winning_rate) filter (where epsilon = 0.1) as rate_10,
        max(winning_rate) filter (where epsilon = 0.15) as rate_15,
        max(winning_rate) filter (where epsilon = 0.2) as rate_20,
        max(winning_rate_failures_lost) filter (where epsilon = 0.1) as rate_lost_10,
        {{ alike_in_group(['n_annotators', 'n_instances', 'missing_count', 'distinct_count']) }},
        any_value(advantage_probability) as advantage,
        any_value(advantage_probability_low) as advantage_low,
        any_value(advantage_probability_high) as advantage_high,
        any_value(people_advantage_probability) as people_advantage,
        any_value(people_advantage_probability_low) as people_advantage_low,
        any_value(people_advantage_probability_high) as people_advantage_high,
        any_value(n_people) as n_people,
        any_value(reason) as reason
    from {{ ref('rpt_judge_replacement') }}
    where judge_id != {{ human() }}
    group by {{ way | join(', ') }}
),

compared as (
    select
        {{ way | join(', ') }},
        sum(n_instances) as annotation_count,
        count(*) filter (where mean_d < {{ replacement_margins() | last }}) as near_count
    from {{ ref('rpt_replacement_people') }}
    where epsilon = {{ replacement_margins() | first }}
    group by {{ way | join(', ') }}
),

-- Of how many instances each of the three people has annotated most that others annotated, too.
people as (
    select task, dataset_id, dimension, list_resize(list(n order by n desc), 3, 0) as most
    from (
        select task, dataset_id, dimension, annotator_key, count(*) as n
        from {{ ref('int_replacement_annotations') }}
        group by all
    )
    group by all
),

decided as (
    select
        *,
        case
            when n_instances = 0 then 'no answer'
            when reason is not null then 'too few'
            when distinct_count = 1 and rate_20 >= 0.5 then 'constant'
            when rate_10 >= 0.5 and coalesce(rate_lost_10, 0) < 0.5 then 'missing'
            when rate_10 >= 0.5 then 'yes'
            when rate_20 < 0.5 then 'no'
            else 'whoever'
        end as came,
        case when rate_10 >= 0.5 then 0.1 when rate_20 < 0.5 then 0.2 else 0.15 end as epsilon,
        case epsilon when 0.1 then rate_10 when 0.2 then rate_20 else rate_15 end as rate,
        null::double as rate_low,
        null::double as rate_high,
        'it is not worse than ' || rejected_10 || ' of ' || n_annotators
        || ' people by more than ε = 0.1, ' || rejected_15 || ' by 0.15, ' || rejected_20
        || ' by 0.2, and half are needed' as counts
    from results
),

lacking as (
    select
        task,
        dataset_id,
        dimension,
        most[1] || ', ' || most[2] || ' and ' || most[3] as most,
        list_transform(most, lambda one: greatest({{ least }} - one, 0)) as needs,
        list_sum(needs)::bigint as lacking_count,
        needs[1] || ', ' || needs[2] || ' and ' || needs[3] as needed
    from people
),

asked as (
    select
        variant_id,
        concat_ws(', ', 'labels ' || verbalizer, replace(position, '_', ' ')) as words
    from {{ ref('dim_variant') }}
    where answer_kind = 'verdict'
    union all
    select distinct
        variant_id,
        concat_ws(
            ', ', 'asked ' || task, manual, 'houses ' || house_order, strategy,
            if(has_motion, null, 'no motion'), if(has_info_slide, null, 'no info slide')
        ) as words
    from {{ ref('dim_adjudication_setting') }}
)

select
    'replace' as topic,
    decided.task,
    decided.dataset_id,
    decided.dimension,
    decided.experiment,
    decided.judge_id,
    decided.template,
    decided.variant_id,
    'May ' || decided.judge_id || ' stand in for one of the people who '
    || case decided.task
        when 'speeches' then 'score “' || decided.dimension || '” in '
        when 'debates' then 'say who won in '
        when
            'parliamentary'
            then 'sit on panels (' || replace(decided.dimension, '_', ' ') || ') in '
        when 'questions' then 'say whether answers are aware of a dispute in '
        when 'oversight' then 'say which answer is right (' || decided.dimension || ') in '
        else 'annotate “' || decided.dimension || '” in '
    end
    || decided.dataset_id || ' ('
    || concat_ws(', ', 'prompt ' || decided.template, asked.words) || ')?' as question,
    case when came in ('yes', 'no') then came else 'cannot tell' end as answer,
    case came
        when 'no answer' then reason
        when 'too few' then reason
        when 'constant'
            then
                'it says the same of every instance, which passes where people differ much and'
                || ' judges nothing: ' || counts
        when 'missing'
            then
                'it left ' || missing_count || ' instances without an answer, and would fail if'
                || ' all of these were lost; of those it answered, ' || counts
        when 'whoever'
            then
                'it passes where the people are experts (ε = 0.2)'
                || case when rate_15 >= 0.5 then ' or skilled (ε = 0.15)' else '' end
                || ', not where they are '
                || case when rate_15 >= 0.5 then '' else 'skilled (ε = 0.15) or ' end
                || 'a crowd (ε = 0.1): ' || counts
        else counts
    end as reason,
    {{ numbers({
        'advantage_probability': ('advantage', 'n_instances'),
        'winning_rate': ('rate', 'n_annotators'),
        'people_advantage_probability': ('people_advantage', 'n_people'),
    }) }} as numbers,
    case
        when came = 'too few' and reason like '%two texts%'
            then 'Annotations of other texts by three people who annotated {{ least }} instances.'
        when came = 'too few' and lacking.lacking_count > 0
            then
                'Three people with {{ least }} instances each that others annotated, too:'
                || ' those with most have ' || lacking.most || '.'
        when came in ('no answer', 'too few')
            then 'Answers of the judge to instances that people annotated.'
        when came = 'constant' then 'A judge that tells instances apart.'
        when came = 'missing' then 'Answers to the instances that it left out.'
        when came = 'yes' then 'Other people, other texts or another way of asking.'
        when came = 'no'
            then
                case
                    when near_count >= 0.5 * n_annotators then 'More instances: beside '
                    else 'Another judge, or way of asking, that is closer to people: beside '
                end
                || near_count || ' of ' || n_annotators
                || ' people it is worse by less than 0.2 on these.'
        else 'To know who the people are.'
    end as would_change,
    case
        when came = 'too few' and reason like '%two texts%'
            then 'One of another text by each of them, and the judge''s answers to it.'
        when came = 'too few' and lacking.lacking_count > 0
            then
                if(
                    lacking.lacking_count = 1,
                    '1 more annotation of an instance',
                    lacking.lacking_count || ' more annotations of instances'
                )
                || ' that others annotate, too: ' || lacking.needed
                || ' by the three, and the judge''s answers to them.'
        when came in ('no answer', 'missing')
            then missing_count || ' more answers of the judge.'
        when came in ('no', 'whoever')
            then
                'Twice the instances: ' || annotation_count::bigint
                || ' more annotations of people and ' || n_instances
                || ' more answers of the judge.'
        when came = 'yes'
            then
                'No more annotations of people. The same test on other texts takes '
                || annotation_count::bigint || ' of them and ' || n_instances
                || ' answers of the judge.'
        when came = 'constant'
            then
                'No more annotations of people, and ' || n_instances || ' answers of another judge.'
        when n_instances < {{ least }}
            then 'At least ' || {{ least }} - n_instances || ' more answers of the judge.'
        else 'Answers of the judge to {{ least }} instances of each of three people.'
    end as cost,
    case
        when came in ('no answer', 'missing') then missing_count
        when came in ('no', 'whoever', 'yes') then n_instances
        when came = 'too few' and lacking.lacking_count = 0 and n_instances < {{ least }}
            then {{ least }} - n_instances
    end as answers_needed
from decided
left join lacking using (task, dataset_id, dimension)
left join asked using (variant_id)
left join compared on {{ alike('decided', 'compared', way) }}
