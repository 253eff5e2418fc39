{#
A person is paired with a model that has read as much: live and stepped judges state a belief after each
round, anybody else judges what there is of the transcript at the end. Beliefs from before the first
round are of no transcript. Several people in one room are averaged to one value of the room first.
#}
{% set pair = [
    'judge_id', 'dataset_id', 'template', 'asked_for', 'answer_order', 'protocol', 'debater',
    'debater_kind', 'people_mode'
] %}
{% set parts = ['selection', 'honesty', 'moment', 'measure'] %}
with

judgements as (
    select *
    from {{ ref('int_oversight_judgements') }}
    where
        probe = 'none'
        and tournament is null
        and transcript_id is not null
        and right_score is not null
),

transcripts as (select transcript_id, round_count from {{ ref('int_oversight_transcripts') }}),

people as (
    select
        judgements.transcript_id,
        judgements.judge_id as person_id,
        judgements.mode as people_mode,
        judgements.is_final,
        case
            when judgements.is_final and judgements.mode not in ('live', 'stepped')
                then transcripts.round_count
            else judgements.step
        end as step,
        judgements.is_in_paper,
        judgements.right_answer,
        judgements.p_answer_0,
        judgements.right_score
    from judgements
    inner join transcripts using (transcript_id)
    where judgements.source = 'person' and judgements.is_human
),

models as (
    select
        judge_id, dataset_id, template, asked_for, answer_order, protocol, debater, debater_kind,
        transcript_id, cluster_id, is_honest, step,
        avg(p_answer_0) as p_answer_0,
        avg(right_score) as right_score
    from judgements
    where source = 'model' and is_main_order
    group by all
),

-- A person's verdict counts as one, and as the belief after its round.
heard as (
    select *, 'round ' || step as moment from people where step > 0
    union all
    select *, 'verdict' from people where is_final and step > 0
),

met as (
    select
        models.* exclude (p_answer_0, right_score),
        heard.people_mode,
        heard.moment,
        heard.person_id,
        heard.is_in_paper,
        models.right_score as judge_right,
        heard.right_score as people_right,
        models.p_answer_0 is not null and heard.p_answer_0 is not null as has_p,
        {% for who in ['models', 'heard'] %}
            case when has_p then abs({{ who }}.p_answer_0 - heard.right_answer) end
                as {{ who }}_p_right,
            case when has_p then (1 - abs({{ who }}.p_answer_0 - heard.right_answer)) ^ 2 end
                as {{ who }}_brier,
        {% endfor %}
    from models
    inner join heard using (transcript_id, step)
),

measured as (
    {% for measure, judge, people in [
        ('accuracy', 'judge_right', 'people_right'),
        ('brier', 'models_brier', 'heard_brier'),
        ('p_right', 'models_p_right', 'heard_p_right'),
    ] %}
        select
            * exclude (
                judge_right,
                people_right,
                models_brier,
                heard_brier,
                models_p_right,
                heard_p_right,
                has_p
            ),
            '{{ measure }}' as measure,
            {{ judge }} as judge_value,
            {{ people }} as people_value
        from met
        where {{ judge }} is not null
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

selected as (
    select *, 'all' as selection from measured
    union all
    select *, 'paper' from measured where is_in_paper
),

split_up as (
    select *, 'all' as honesty from selected
    union all
    select *, case when is_honest then 'honest' else 'dishonest' end
    from selected
    where is_honest is not null
),

rooms as (
    select
        {{ (pair + parts) | join(', ') }},
        transcript_id,
        cluster_id,
        any_value(judge_value) as judge_value,
        avg(people_value) as people_value,
        count(*) as n_beliefs
    from split_up
    group by {{ (pair + parts) | join(', ') }}, transcript_id, cluster_id
),

persons as (
    select {{ (pair + parts) | join(', ') }}, count(distinct person_id) as n_people
    from split_up
    group by {{ (pair + parts) | join(', ') }}
),

stories as (
    select
        {{ (pair + parts) | join(', ') }},
        cluster_id,
        count(*) as unit_count,
        sum(n_beliefs) as belief_count,
        sum(judge_value) as judge_sum,
        sum(people_value) as people_sum,
        sum(judge_value - people_value) as difference_sum
    from rooms
    group by {{ (pair + parts) | join(', ') }}, cluster_id
),

averaged as (
    select
        {{ (pair + parts) | join(', ') }},
        sum(unit_count)::bigint as n_units,
        count(*) as n_clusters,
        sum(belief_count)::bigint as n_answers,
        {% for name in ['judge', 'people', 'difference'] %}
            sum({{ name }}_sum) / sum(unit_count) as {{ name }},
            {{ half_width_over_clusters(name ~ '_sum', 'unit_count') }} as {{ name }}_half,
        {% endfor %}
    from stories
    group by {{ (pair + parts) | join(', ') }}
)

select
    {{ (pair + parts) | join(', ') }},
    n_units,
    n_clusters,
    n_answers,
    persons.n_people,
    judge as judge_value,
    {{ clipped_ends('judge', 'judge_half', '0.0', '1.0', 'judge_value') }},
    people as people_value,
    {{ clipped_ends('people', 'people_half', '0.0', '1.0', 'people_value') }},
    difference,
    {{ clipped_ends('difference', 'difference_half', '-1.0', '1.0') }},
    case
        {{ when_too_few('n_clusters', 'stories or people') }}
        when difference_half is null then 'every story is alike'
    end as reason
from averaged
inner join persons using ({{ (pair + parts) | join(', ') }})
