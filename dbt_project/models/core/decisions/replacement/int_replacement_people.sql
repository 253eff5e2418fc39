{#
What each person said of each instance, of all that judges are asked: beside scores, verdicts and studies the
ballots of parliamentary panels, labels of dispute awareness, and judgements of oversight. A ballot counts whole,
and those of trainees and those that a tab ignores not at all. The texts that belong together are a
debate's places, a question's answers and a story's transcripts.
#}
{% set whole = {
    'house_ranks()': ['team_results', 'house', 'team_rank', 4],
    'speaker_scores()': ['speaker_results', 'role', 'score', 8],
} %}
with

trainees as (
    select debate_id, adjudicator_id as decided_by
    from {{ loaded('adjudicators') }}
    where is_trainee
),

ballots as (
    {% for task, (table, place, said, places) in whole.items() %}
        select
            dataset_id,
            {{ house_ranks() if loop.first else speaker_scores() }} as dimension,
            debate_id,
            {{ place }} as place,
            decided_by as annotator_id,
            {{ said }}::double as value
        from {{ loaded(table) }}
        where
            decided_by != {{ panel() }}
            and {{ is_in_panel() }}
        qualify
            count({{ said }}) over (partition by debate_id, decided_by) = {{ places }}
            and count(distinct {{ place }}) over (partition by debate_id, decided_by) = {{ places }}
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

awareness as (
    select
        answers.dataset_id,
        labels.dimension,
        answers.answer_id,
        answers.question_id,
        labels.annotator_id,
        avg(labels.value) as value
    from {{ ref('stg_raw__human_ratings') }} as labels
    inner join {{ ref('int_answers_current') }} as answers on labels.item_id = answers.answer_id
    where
        labels.dimension = {{ dispute_awareness() }} and answers.is_current and not answers.is_stale
    group by all
),

oversight as (
    select
        dataset_id,
        protocol as dimension,
        coalesce(transcript_id, question_id) as instance_id,
        any_value(cluster_id) as cluster_id,
        judge_id as annotator_id,
        -- Who was in the room and read it again later counts as who was there.
        coalesce(avg(lean) filter (is_headline), avg(lean)) as lean
    from {{ ref('int_oversight_judgements') }}
    where is_human and is_final and tournament is null and lean is not null
    group by dataset_id, protocol, coalesce(transcript_id, question_id), judge_id
)

select
    task, dataset_id, dimension, instance_id, text_id, cluster_id, annotator_id, label, value
from {{ ref('int_annotations_people') }}
union all
select
    'parliamentary', dataset_id, dimension, debate_id || '#' || place, debate_id as text_id,
    debate_id as cluster_id,
    annotator_id, null, value
from ballots
anti join trainees
    on
        ballots.debate_id = trainees.debate_id
        and ballots.annotator_id = trainees.decided_by
union all
select
    'questions', dataset_id, dimension, answer_id, question_id as text_id,
    question_id as cluster_id, annotator_id,
    {{ aware_label('value') }}, null
from awareness
union all
select
    'oversight', dataset_id, dimension, instance_id, cluster_id as text_id,
    cluster_id, annotator_id,
    {{ leaning_label('lean') }}, null
from oversight
