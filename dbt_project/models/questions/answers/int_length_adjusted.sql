{#
What a setting's P.D. would be at the mean length of the models it is ranked with. The slope is the
model's own, so the length must be one that the model has written.
#}
with

settings as (
    select
        measured.*,
        answers.dataset_id,
        answers.split,
        answers.judge_id,
        avg(measured.mean_log2_words) over (
            partition by measured.condition_id, measured.evaluator_id, measured.evaluator_template
        ) as reference_log2
    from {{ ref('int_setting_metrics') }} as measured
    inner join (
        select distinct setting_id, dataset_id, split, judge_id
        from {{ ref('int_answers_current') }}
    ) as answers using (setting_id)
    where measured.metric = {{ perspective_diversity() }} and measured.score is not null
),

adjusted as (
    select
        settings.setting_id,
        settings.evaluator_id,
        settings.evaluator_template,
        settings.n_questions,
        settings.score as score_unadjusted,
        settings.mean_log2_words,
        settings.reference_log2,
        slopes.slope,
        slopes.half_width as slope_half_width,
        slopes.n_questions as n_slope_questions,
        slopes.influences,
        case
            when slopes.slope is null then 'no question has answers of two lengths'
            when
                settings.reference_log2 < slopes.shortest - 1e-9
                or settings.reference_log2 > slopes.longest + 1e-9
                then 'the model wrote no answer as short or as long as the others on average'
        end as reason
    from settings
    inner join {{ ref('int_length_slopes') }} as slopes
        on
            {{ alike('settings', 'slopes', [
                'dataset_id', 'split', 'judge_id', 'evaluator_id', 'evaluator_template'
            ]) }}
),

slope_parts as (
    select
        setting_id, evaluator_id, evaluator_template,
        part.question_id,
        -(mean_log2_words - reference_log2) * part.influence as influence
    from adjusted, unnest(influences) as parts (part)
    where reason is null
),

mean_parts as (
    select
        adjusted.setting_id, adjusted.evaluator_id, adjusted.evaluator_template,
        questions.question_id,
        (
            questions.score - adjusted.score_unadjusted
            - adjusted.slope * (questions.log2_words - adjusted.mean_log2_words)
        ) / adjusted.n_questions as influence
    from adjusted
    inner join {{ ref('int_question_metrics') }} as questions
        on
            adjusted.setting_id = questions.setting_id
            and adjusted.evaluator_id = questions.evaluator_id
            and adjusted.evaluator_template = questions.evaluator_template
            and questions.metric = {{ perspective_diversity() }}
            and questions.score is not null
    where adjusted.reason is null
),

by_question as (
    select setting_id, evaluator_id, evaluator_template, question_id, sum(influence) as influence
    from (
        select * from slope_parts
        union all by name
        select * from mean_parts
    )
    group by all
),

spreads as (
    select
        setting_id,
        evaluator_id,
        evaluator_template,
        count(*) as n_clusters,
        count(*) / nullif(count(*) - 1.0, 0) * sum(influence ^ 2) as variance
    from by_question
    group by all
)

select
    adjusted.* exclude (influences),
    case
        when reason is null then score_unadjusted - slope * (mean_log2_words - reference_log2)
    end as score_adjusted,
    {{ clustered_half_width('spreads.variance', 'spreads.n_clusters') }} as half_width
from adjusted
left join spreads using (setting_id, evaluator_id, evaluator_template)
