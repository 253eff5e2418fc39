{#
Kendall's tau-b of the same models ranked in two ways. Replicate 0 is the questions as they are; the
others draw questions with replacement, the same ones for every evaluator and model.
#}
{% set ranking = 'condition_id, metric, evaluator_id, evaluator_template' %}
with

questions as (
    select condition_id, metric, evaluator_id, evaluator_template, setting_id, judge_id, question_id, score
    from {{ ref('int_question_metrics') }}
    where metric in ({{ perspective_diversity() }}, {{ dispute_awareness() }}) and score is not null
),

-- One evaluator asked in one way has nothing to be compared with.
comparisons as (
    select
        one.condition_id,
        one.metric,
        one.evaluator_id as evaluator_a,
        one.evaluator_template as evaluator_template_a,
        other.evaluator_id as evaluator_b,
        other.evaluator_template as evaluator_template_b,
        case when one.evaluator_id = other.evaluator_id then 'wording' else 'evaluator' end as comparison
    from (select distinct {{ ranking }} from questions) as one
    inner join (select distinct {{ ranking }} from questions) as other
        on
            one.condition_id = other.condition_id
            and one.metric = other.metric
            and (
                one.evaluator_id = other.evaluator_id and one.evaluator_template < other.evaluator_template
                or one.evaluator_id < other.evaluator_id and one.evaluator_template = other.evaluator_template
            )
),

units as (
    select
        condition_id,
        question_id,
        row_number() over (partition by condition_id order by question_id) as unit,
        count(*) over (partition by condition_id) as n_units
    from (select distinct condition_id, question_id from questions)
    where condition_id in (select condition_id from comparisons)
),

draws as (
    select
        condition_id,
        replicate,
        resample_counts({{ var('bootstrap_seed') }}::bigint, n_units::bigint, replicate::bigint) as counts
    from (select distinct condition_id, n_units from units)
    cross join (select unnest(range(1, {{ var('bootstrap_replicates') }} + 1)) as replicate)
    union all
    select condition_id, 0 as replicate, list_transform(range(n_units), lambda one: 1::bigint) as counts
    from (select distinct condition_id, n_units from units)
),

means as (
    select
        questions.condition_id,
        draws.replicate,
        questions.metric,
        questions.evaluator_id,
        questions.evaluator_template,
        questions.setting_id,
        round(
            sum(draws.counts[units.unit] * questions.score) / nullif(sum(draws.counts[units.unit]), 0), 12
        ) as score
    from questions
    inner join units using (condition_id, question_id)
    inner join draws using (condition_id)
    group by all
),

steps as (
    select
        one.condition_id,
        one.replicate,
        one.metric,
        one.evaluator_id,
        one.evaluator_template,
        one.setting_id as setting_a,
        other.setting_id as setting_b,
        sign(one.score - other.score) as step
    from means as one
    inner join means as other
        on
            one.condition_id = other.condition_id
            and one.replicate = other.replicate
            and one.metric = other.metric
            and one.evaluator_id = other.evaluator_id
            and one.evaluator_template = other.evaluator_template
            and one.setting_id < other.setting_id
),

counted as (
    select
        comparisons.*,
        one.replicate,
        sum(one.step * other.step) as concordance,
        count(*) filter (one.step = 0) as tied_x,
        count(*) filter (other.step = 0) as tied_y,
        -- n (n - 1) / 2 pairs of n models
        round((1 + sqrt(1 + 8 * count(*))) / 2)::bigint as n_models
    from comparisons
    inner join steps as one
        on
            comparisons.condition_id = one.condition_id
            and comparisons.metric = one.metric
            and comparisons.evaluator_a = one.evaluator_id
            and comparisons.evaluator_template_a = one.evaluator_template
    inner join steps as other
        on
            comparisons.condition_id = other.condition_id
            and comparisons.metric = other.metric
            and comparisons.evaluator_b = other.evaluator_id
            and comparisons.evaluator_template_b = other.evaluator_template
            and one.replicate = other.replicate
            and one.setting_a = other.setting_a
            and one.setting_b = other.setting_b
    group by all
),

correlated as (
    select *, {{ tau_b('concordance', 'n_models', 'tied_x', 'tied_y') }} as tau
    from counted
),

sizes as (select distinct condition_id, n_units as n_questions from units),

bounded as (
    select
        * exclude (replicate, concordance, tied_x, tied_y, tau, n_models),
        max(n_models) filter (replicate = 0) as n_models,
        max(n_questions) as n_questions,
        max(tau) filter (replicate = 0) as kendall,
        {{ percentile_bound('case when replicate > 0 then tau end', 0.025, 'n_questions') }} as kendall_low,
        {{ percentile_bound('case when replicate > 0 then tau end', 0.975, 'n_questions') }} as kendall_high,
        count(*) filter (replicate > 0 and tau is null) as undefined_replicate_count
    from correlated
    inner join sizes using (condition_id)
    group by all
),

conditions as (
    select distinct
        condition_id, dataset_id, split, template, temperature, top_p, target_tokens, retrieval,
        is_trusted_only
    from {{ ref('dim_answer_setting') }}
)

select
    conditions.*,
    comparisons.metric,
    comparisons.comparison,
    comparisons.evaluator_a,
    comparisons.evaluator_template_a,
    comparisons.evaluator_b,
    comparisons.evaluator_template_b,
    sizes.n_questions,
    coalesce(bounded.n_models, 0) as n_models,
    bounded.kendall,
    case
        when bounded.kendall is not null and bounded.kendall_low < bounded.kendall_high
            then bounded.kendall_low
    end as kendall_low,
    case
        when bounded.kendall is not null and bounded.kendall_low < bounded.kendall_high
            then bounded.kendall_high
    end as kendall_high,
    coalesce(bounded.undefined_replicate_count, 0) as undefined_replicate_count,
    case
        when coalesce(bounded.n_models, 0) < 2 then 'fewer than two models scored both ways'
        when bounded.kendall is null then 'one way has all models tied'
        when sizes.n_questions < {{ var('min_units_for_interval') }}
            then 'fewer than {{ var("min_units_for_interval") }} questions'
        when bounded.kendall_low = bounded.kendall_high
            then '95 % of the resamples of questions or more give one value'
    end as reason
from comparisons
inner join conditions using (condition_id)
inner join sizes using (condition_id)
left join bounded
    on
        comparisons.condition_id = bounded.condition_id
        and comparisons.metric = bounded.metric
        and comparisons.evaluator_a = bounded.evaluator_a
        and comparisons.evaluator_template_a = bounded.evaluator_template_a
        and comparisons.evaluator_b = bounded.evaluator_b
        and comparisons.evaluator_template_b = bounded.evaluator_template_b
