{#
One point per debate: the mean error and the mean tokens of its answers. Bins follow ranks, so that
debates of one length are never parted.
#}
{% set minimum = var('min_units_for_interval') %}
with

measures (asked_task, measure) as (
    values
    ('speaker_scores', 'score_error'), ('house_ranks', 'house_rank_difference'),
    ('speaker_ranks', 'speaker_rank_difference')
),

-- A mean over the places that could be read; a ranking is read whole or not at all.
errors as (
    select
        response_id,
        task as asked_task,
        avg(abs(difference)) as error
    from {{ ref('fct_adjudication_value') }}
    group by response_id, task
),

answers as (
    select
        answers.setting_id,
        answers.debate_id,
        measures.measure,
        errors.error,
        answers.context_tokens,
        answers.is_context_exact,
        errors.error is not null and answers.context_tokens is not null as is_placed
    from {{ ref('fct_adjudication') }} as answers
    inner join errors using (response_id)
    inner join measures using (asked_task)
),

left_out as (
    select
        setting_id,
        measure,
        count(*) filter (error is null) as unreadable_count,
        count(*) filter (error is not null and context_tokens is null) as no_tokens_count
    from answers
    group by setting_id, measure
),

debates as (
    select
        setting_id,
        measure,
        debate_id,
        avg(error) as error,
        avg(context_tokens) as tokens,
        count(*) as n_answers,
        bool_and(coalesce(is_context_exact, false)) as is_exact,
        bool_or(coalesce(is_context_exact, false)) as is_partly_exact
    from answers
    where is_placed
    group by setting_id, measure, debate_id
),

binned as (
    select
        *,
        floor(
            (rank() over (partition by setting_id, measure order by tokens) - 1)
            * least(
                5, greatest(1, count(*) over (partition by setting_id, measure) // {{ minimum }})
            )
            / count(*) over (partition by setting_id, measure)
        )::bigint as bin
    from debates
),

parts as (
    select
        setting_id,
        measure,
        case when grouping(bin) = 1 then 'slope' else 'bin' end as part,
        -- Ties may leave a bin without debates: those there are count from 1.
        case
            when grouping(bin) = 1 then 0
            else dense_rank() over (partition by setting_id, measure, grouping(bin) order by bin)
        end as bin,
        min(tokens) as tokens_low,
        avg(tokens) as tokens_mean,
        max(tokens) as tokens_high,
        case
            when bool_and(is_exact) then 'exact'
            when bool_or(is_partly_exact) then 'mixed'
            else 'estimated'
        end as tokens_kind,
        count(*) as n_units,
        sum(n_answers)::bigint as n_answers,
        avg(error) as mean_error,
        stddev_samp(error) / sqrt(count(*)) as mean_deviation,
        10000 * regr_slope(error, tokens / 1.0) as slope,
        10000 * sqrt(
            greatest(
                0.0,
                regr_syy(error, tokens)
                - regr_sxy(error, tokens)
                ^ 2 / nullif(regr_sxx(error, tokens), 0)
            )
            / nullif(count(*) - 2, 0) / nullif(regr_sxx(error, tokens), 0)
        ) as slope_deviation
    from binned
    group by grouping sets ((setting_id, measure), (setting_id, measure, bin))
),

planned as (
    select settings.*, measures.measure
    from {{ ref('dim_adjudication_setting') }} as settings
    inner join measures on settings.task in ('all', measures.asked_task)
),

estimated as (
    select
        planned.*,
        coalesce(parts.part, 'slope') as part,
        coalesce(parts.bin, 0) as bin,
        parts.tokens_low,
        parts.tokens_mean,
        parts.tokens_high,
        parts.tokens_kind,
        case
            when parts.part = 'bin' then parts.mean_error
            when parts.tokens_high > parts.tokens_low then parts.slope
        end as value,
        case
            when parts.n_units >= {{ minimum }}
                then student_t_quantile(
                    0.975::double, parts.n_units - case parts.part when 'bin' then 1.0 else 2.0 end
                ) * case parts.part
                    when 'bin' then {{ spread('parts.mean_deviation') }}
                    else {{ spread('parts.slope_deviation') }}
                end
        end as half_width,
        coalesce(parts.n_units, 0) as n_units,
        coalesce(parts.n_answers, 0) as n_answers
    from planned
    left join parts using (setting_id, measure)
)

select
    estimated.setting_id,
    {% for column in adjudication_factors() %}estimated.{{ column }},
    {% endfor %}
    estimated.measure,
    estimated.part,
    estimated.bin,
    estimated.tokens_low,
    estimated.tokens_mean,
    estimated.tokens_high,
    estimated.tokens_kind,
    estimated.value,
    {{ ends('estimated.value', 'estimated.half_width') }},
    estimated.n_units,
    estimated.n_answers,
    coalesce(left_out.unreadable_count, 0) as unreadable_count,
    coalesce(left_out.no_tokens_count, 0) as no_tokens_count,
    case
        when estimated.n_units = 0
            then 'no answer with a readable value, a result of the panel and counted tokens'
        when estimated.value is null then 'all debates have the same tokens in context'
        {{ when_too_few('estimated.n_units', 'debates') }}
        when estimated.half_width is null
            then case estimated.part
                when 'bin' then 'all debates are alike' else 'no residual variation'
            end
    end as null_reason
from estimated
left join left_out using (setting_id, measure)
