{#
Both settings on the same questions. P.D. at equal length is the intercept of the difference on how much
longer the second answer is: what is left where both are as long, and no guess only where some questions
have the one longer and some the other.
#}
{% set key = 'experiment, setting_a, setting_b, metric, evaluator_id, evaluator_template' %}
with

contrasts as (select * from {{ ref('int_answer_contrasts') }}),

questions as (
    select * from {{ ref('int_question_metrics') }}
    where metric in ({{ perspective_diversity() }}, {{ dispute_awareness() }}) and score is not null
),

paired as (
    select
        contrasts.experiment,
        contrasts.setting_a,
        contrasts.setting_b,
        one.metric,
        one.evaluator_id,
        one.evaluator_template,
        one.score as score_a,
        other.score as score_b,
        one.word_count as words_a,
        other.word_count as words_b,
        other.score - one.score as difference,
        other.log2_words - one.log2_words as longer,
        one.score = 0.5 or other.score = 0.5 as is_split,
        one.n_scored + other.n_scored as n_answers
    from contrasts
    inner join questions as one on contrasts.setting_a = one.setting_id
    inner join questions as other
        on
            contrasts.setting_b = other.setting_id
            and one.question_id = other.question_id
            and one.metric = other.metric
            and one.evaluator_id = other.evaluator_id
            and one.evaluator_template = other.evaluator_template
),

counted as (
    select
        {{ key }},
        count(*) as n_questions,
        sum(n_answers)::bigint as n_answers,
        avg(score_a) as score_a,
        avg(score_b) as score_b,
        avg(words_a) as mean_word_count_a,
        avg(words_b) as mean_word_count_b,
        avg(difference) as difference,
        {{ spread('stddev_samp(difference)') }} as difference_sd,
        count(*) filter (is_split) as split_count,
        count(*) filter (not is_split and score_a > 0.5 and score_b < 0.5) as only_a,
        count(*) filter (not is_split and score_a < 0.5 and score_b > 0.5) as only_b,
        least(
            count(*) filter (longer >= 0), count(*) filter (longer <= 0)
        ) / count(longer)::double as length_overlap_share,
        count(longer) as n_long,
        avg(longer) as mean_longer,
        var_pop(longer) * count(longer) as sum_xx,
        covar_pop(longer, difference) * count(longer) as sum_xy,
        var_pop(difference) * count(longer) as sum_yy
    from paired
    group by {{ key }}
),

fitted as (
    select
        *,
        case when sum_xx > 1e-9 then sum_xy / sum_xx end as length_slope,
        difference - length_slope * mean_longer as intercept,
        student_t_quantile(0.975::double, (n_long - 2)::double) * sqrt(
            greatest(0, sum_yy - length_slope * sum_xy) / nullif(n_long - 2, 0)
            * (1.0 / n_long + mean_longer ^ 2 / nullif(sum_xx, 0))
        ) as intercept_half
    from counted
),

tested as (
    select
        *,
        case
            when metric = {{ perspective_diversity() }}
                then
                    difference / (difference_sd / sqrt(n_questions))
            else {{ mcnemar('only_a', 'only_b') }}
        end as statistic,
        case when metric = {{ perspective_diversity() }} then n_questions - 1 else 1 end::double
            as statistic_df,
        case
            when metric = {{ perspective_diversity() }} then 'paired t'
            when only_a + only_b < {{ exact_below() }} then 'exact'
            else 'uncorrected'
        end as kind,
        case
            when metric = {{ perspective_diversity() }}
                then student_t_two_sided(statistic, statistic_df)
            when only_a + only_b = 0 then null
            when
                only_a + only_b < {{ exact_below() }}
                then {{ mcnemar_exact_p('only_a', 'only_b') }}
            else {{ mcnemar_p('only_a', 'only_b') }}
        end as p
    from fitted
),

families as (
    select
        contrasts.*,
        tested.* exclude (experiment, setting_a, setting_b),
        contrasts.experiment
        || ' / '
        || contrasts.dataset_id
        || ' / '
        || contrasts.judge_id as family_id
    from contrasts
    inner join tested using (experiment, setting_a, setting_b)
),

adjusted as (
    {{ benjamini_hochberg('families', 'family_id') }}
)

select
    * exclude (
        split_count, only_a, only_b, difference_sd, statistic, statistic_df, kind, n_long,
        mean_longer, sum_xx, sum_xy, sum_yy, length_slope, intercept, intercept_half
    ),
    {% for end, sign in [('low', -1), ('high', 1)] %}
        case
            when n_questions >= {{ var('min_units_for_interval') }}
                then
                    difference
                    + {{ sign }} * student_t_quantile(0.975::double, (n_questions - 1)::double)
                    * difference_sd / sqrt(n_questions)
        end as difference_{{ end }},
    {% endfor %}
    difference / difference_sd as effect_size,
    case when metric = {{ dispute_awareness() }} then split_count end as split_count,
    case when metric = {{ dispute_awareness() }} then only_a end as only_a,
    case when metric = {{ dispute_awareness() }} then only_b end as only_b,
    case when p is not null then statistic end as statistic,
    case when p is not null then statistic_df end as df,
    case when p is not null then kind end as p_kind,
    {% for name, value in [
        ('', 'intercept'), ('_low', 'intercept - intercept_half'), ('_high', 'intercept + intercept_half')
    ] %}
        case
            when
                metric = {{ perspective_diversity() }} and length_overlap_share > 0
                and n_long >= {{ var('min_units_for_interval') }}
                then {{ value }}
        end as difference_at_equal_length{{ name }},
    {% endfor %}
    case
        when metric != {{ perspective_diversity() }} then 'length is controlled for P.D. alone'
        when
            coalesce(length_overlap_share, 0) = 0
            then 'one setting has the longer answer to every question'
        {{ when_too_few('n_long', 'questions') }}
        when intercept is null then 'every pair of answers differs alike in length'
    end as length_reason,
    case
        when p is null and metric = {{ dispute_awareness() }} then 'no discordant questions'
        when p is null and n_questions < 2 then 'one question only'
        when p is null then 'every question differs alike'
        {{ when_too_few('n_questions', 'questions') }}
        when difference_sd is null then 'every question differs alike'
    end as reason
from adjusted
