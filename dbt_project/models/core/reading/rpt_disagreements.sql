{#
Where a judge departs from people, from the other judges, or from itself, and where it is too unsure to
stand alone. Every answer is a number: a
score, a place, or 1 where pro won, 0 where con did and one half for a tie; the size of a disagreement
is a share of the scale. People decide who won by the data set's own rule. Of an answer to a question it
is the share that sees the dispute acknowledged, of a debate about a story the probability of the first
answer. A place in a parliamentary debate is a question of its own. Ensembles have no answers of their own.
#}
{% set widths = {'house_ranks': 3, 'speaker_ranks': 7, 'speaker_scores': 50} %}
with

scores as (
    select *
    from {{ ref('fct_score') }}
    where is_current and not is_stale and value is not null
),

verdicts as (
    select *, case winner when 'pro' then 1.0 when 'con' then 0.0 else 0.5 end as value
    from {{ ref('fct_verdict') }}
    where is_current and not is_stale and winner is not null
),

labels as (select answer_id, label_share from {{ ref('int_dispute_labels') }}),

disputes as (
    select scores.*, answers.dataset_id as answer_dataset_id, questions.question
    from {{ ref('int_answer_scores_current') }} as scores
    inner join {{ ref('dim_answer') }} as answers on scores.item_id = answers.answer_id
    inner join {{ ref('dim_question') }} as questions using (question_id)
    where
        scores.is_current
        and not scores.is_stale
        and scores.value is not null
        and scores.dimension = {{ dispute_awareness() }}
),

places as (
    select *
    from {{ ref('fct_adjudication_value') }}
    where predicted is not null
),

beliefs as (
    select *
    from {{ ref('fct_oversight_judgement') }}
    where is_final and probe = 'none' and transcript_id is not null and p_answer_0 is not null
),

rooms as (
    select transcript_id, avg(p_answer_0) as mean_p
    from beliefs
    where is_human
    group by transcript_id
),

answers as (
    select
        'speech' as unit_kind,
        scores.item_id as unit_id,
        scores.dataset_id,
        items.motion as title,
        scores.judge_id,
        scores.template,
        scores.dimension,
        scores.response_id,
        scores.value,
        people.human_mean as people_value,
        scales.scale_max - scales.scale_min as scale_width
    from scores
    inner join {{ ref('dim_item') }} as items on scores.item_id = items.item_id
    inner join {{ ref('dim_dimension') }} as scales
        on scores.dataset_id = scales.dataset_id and scores.dimension = scales.dimension
    left join {{ ref('int_human_means') }} as people
        on scores.item_id = people.item_id and scores.dimension = people.dimension
    union all
    select
        'debate',
        verdicts.debate_id,
        verdicts.dataset_id,
        debates.motion,
        verdicts.judge_id,
        verdicts.template,
        verdicts.outcome,
        verdicts.response_id,
        verdicts.value,
        case
            when verdicts.outcome != 'winner' then null
            when debates.human_winner = 'pro' then 1.0
            when debates.human_winner = 'con' then 0.0
            when debates.human_winner = 'tie' then 0.5
        end,
        1.0
    from verdicts
    inner join {{ ref('dim_debate') }} as debates using (debate_id)
    union all
    select
        'answer',
        disputes.item_id,
        disputes.answer_dataset_id,
        disputes.question,
        disputes.judge_id,
        disputes.template,
        disputes.dimension,
        disputes.response_id,
        disputes.value,
        labels.label_share,
        1.0
    from disputes
    left join labels on disputes.item_id = labels.answer_id
    union all
    select
        'parliamentary',
        places.debate_id,
        requests.dataset_id,
        debates.motion,
        requests.judge_id,
        requests.template,
        places.task || ' ' || places.place,
        places.response_id,
        places.predicted,
        places.official,
        case places.task
            {% for task, width in widths.items() %}
                when '{{ task }}' then {{ width }}.0
            {% endfor %}
        end
    from places
    inner join {{ ref('fct_adjudication') }} as requests using (response_id)
    inner join {{ ref('dim_parliamentary_debate') }} as debates
        on places.debate_id = debates.debate_id
    union all
    select
        'transcript',
        beliefs.transcript_id,
        beliefs.dataset_id,
        transcripts.question,
        beliefs.judge_id,
        beliefs.template,
        beliefs.asked_for,
        beliefs.judgement_id,
        beliefs.p_answer_0,
        rooms.mean_p,
        1.0
    from beliefs
    inner join {{ ref('dim_oversight_transcript') }} as transcripts using (transcript_id)
    left join rooms using (transcript_id)
    where not beliefs.is_human and beliefs.source = 'model'
),

judged as (
    select
        unit_kind,
        unit_id,
        dataset_id,
        judge_id,
        template,
        dimension,
        {{ alike_in_group(['title', 'people_value', 'scale_width']) }},
        count(*) as answer_count,
        avg(value) as judge_value,
        min(value) as lowest_value,
        max(value) as highest_value,
        min(response_id) as first_response_id,
        arg_max(response_id, (abs(value - people_value), response_id)) as against_people_id
    from answers
    group by unit_kind, unit_id, dataset_id, judge_id, template, dimension
),

beside_others as (
    select
        *,
        count(*) over unit - 1 as other_judge_count,
        (sum(judge_value) over unit - judge_value) / nullif(count(*) over unit - 1, 0)
            as others_value
    from judged
    window unit as (partition by unit_kind, unit_id, template, dimension)
),

disagreements as (
    select
        *,
        'people' as disagreement_kind,
        people_value as other_value,
        null::bigint as other_count,
        coalesce(against_people_id, first_response_id) as response_id
    from beside_others
    union all
    select *, 'judges', others_value, other_judge_count, first_response_id
    from beside_others
    union all
    -- Repeats, and the same debate with its sides in another order or under other names.
    select *, 'itself', null, null, first_response_id
    from beside_others
    where answer_count > 1
),

-- What a person must see for the wanted error; of a debate asked in several ways the least sure.
unsure as (
    select
        if(is_label, 'debate', 'speech') as unit_kind,
        instance_id as unit_id,
        judge_id,
        template,
        dimension,
        max(
            case when is_label then 2 * uncertainty else prediction_high - prediction_low end
        ) as width
    from {{ ref('rpt_routing_answers') }}
    where answer_form = 'own' and is_for_people and uncertainty is not null
    group by all
),

measured as (
    select
        *,
        case disagreement_kind
            when 'itself' then highest_value - lowest_value
            else abs(judge_value - other_value)
        end / scale_width as size
    from disagreements
    union all
    select
        judged.*,
        null,
        null,
        'unsure',
        null,
        null,
        judged.first_response_id,
        unsure.width / judged.scale_width
    from judged
    inner join unsure using (unit_kind, unit_id, judge_id, template, dimension)
)

select
    left(
        md5(concat_ws('|', disagreement_kind, unit_kind, unit_id, judge_id, template, dimension)),
        16
    ) as disagreement_id,
    disagreement_kind,
    unit_kind,
    unit_id,
    dataset_id,
    title,
    judge_id,
    template,
    dimension,
    judge_value,
    lowest_value,
    highest_value,
    answer_count,
    other_value,
    other_count,
    size,
    response_id
from measured
-- Sums of many numbers are off by less than this.
where size > 1e-9
