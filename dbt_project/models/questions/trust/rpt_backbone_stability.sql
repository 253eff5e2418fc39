{#
Kendall's tau-b of the same models ranked in two ways. Replicate 0 is the questions as they are; the
others draw questions with replacement, the same ones for every evaluator and model.
#}
{% set ranking = 'condition_id, metric, evaluator_id, evaluator_template' %}
with

questions as (
    select
        condition_id,
        metric,
        evaluator_id,
        evaluator_template,
        setting_id,
        judge_id,
        question_id,
        score
    from {{ ref('int_question_metrics') }}
    where metric in ({{ perspective_diversity() }}, {{ dispute_awareness() }}) and score is not null
),

rankings as (select distinct {{ ranking }} from questions),

models as (select distinct condition_id, setting_id from questions),

-- One evaluator asked in one way has nothing to be compared with.
comparisons as (
    select
        one.condition_id,
        one.metric,
        one.evaluator_id as evaluator_a,
        one.evaluator_template as evaluator_template_a,
        other.evaluator_id as evaluator_b,
        other.evaluator_template as evaluator_template_b,
        case when one.evaluator_id = other.evaluator_id then 'wording' else 'evaluator' end
            as comparison
    from rankings as one
    inner join rankings as other
        on
            one.condition_id = other.condition_id
            and one.metric = other.metric
            and (
                one.evaluator_id = other.evaluator_id
                and one.evaluator_template < other.evaluator_template
                or one.evaluator_id < other.evaluator_id
                and one.evaluator_template = other.evaluator_template
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
        resample_counts(
            {{ var('bootstrap_seed') }}::bigint, n_units::bigint, replicate::bigint
        )::double[]
            as counts
    from (select distinct condition_id, n_units from units)
    cross join (select unnest(range(1, {{ var('bootstrap_replicates') }} + 1)) as replicate)
    union all
    select
        condition_id,
        0 as replicate,
        list_transform(range(n_units), lambda one: 1::double) as counts
    from (select distinct condition_id, n_units from units)
),

-- Lists have a place for every question: a resample's mean is then two inner products, and not a
-- row for each question and resample. Every ranking has a row for every model, scored or not.
scored as (
    select
        rankings.*,
        models.setting_id,
        list(coalesce(questions.score, 0)::double order by units.unit) as scores,
        list((questions.score is not null)::integer::double order by units.unit) as has_score
    from rankings
    inner join models using (condition_id)
    inner join units using (condition_id)
    left join
        questions
        using (condition_id, metric, evaluator_id, evaluator_template, setting_id, question_id)
    group by all
),

means as (
    select
        scored.* exclude (scores, has_score),
        draws.replicate,
        round(
            list_inner_product(draws.counts, scored.scores)
            / nullif(list_inner_product(draws.counts, scored.has_score), 0), 12
        ) as score
    from scored
    inner join draws using (condition_id)
),

ranked as (
    select
        * exclude (setting_id, score),
        list(score order by setting_id) as scores,
        list((score is not null)::integer::double order by setting_id) as has_model,
        flatten([
            [{ 'one': one, 'other': other } for other in range(one + 1, count(*) + 1)]
            for one in range(1, count(*) + 1)
        ]) as pairs
    from means
    group by all
),

-- Which of two models is above the other, for every pair of models in one order. A model without a
-- score adds nothing: its steps are 0, and `is_pair` says that they are no ties.
steps as (
    select
        condition_id,
        replicate,
        metric,
        evaluator_id,
        evaluator_template,
        has_model,
        [coalesce(sign(scores[pair.one] - scores[pair.other]), 0)::double for pair in pairs]
            as steps,
        [coalesce((scores[pair.one] = scores[pair.other])::integer, 0)::double for pair in pairs]
            as ties,
        [has_model[pair.one] * has_model[pair.other] for pair in pairs] as is_pair
    from ranked
),

correlated as (
    select
        comparisons.*,
        one.replicate,
        list_inner_product(one.has_model, other.has_model)::bigint as n_models,
        list_inner_product(one.steps, other.steps) as concordance,
        list_inner_product(one.ties, other.is_pair) as tied_x,
        list_inner_product(one.is_pair, other.ties) as tied_y,
        {{ tau_b('concordance', 'n_models', 'tied_x', 'tied_y') }} as tau
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
),

sizes as (select distinct condition_id, n_units as n_questions from units),

bounded as (
    select
        * exclude (replicate, concordance, tied_x, tied_y, tau, n_models),
        max(n_models) filter (replicate = 0) as n_models,
        max(tau) filter (replicate = 0) as kendall,
        {{ percentile_ends('case when replicate > 0 then tau end', 'n_questions', 'kendall') }},
        count(*) filter (replicate > 0 and tau is null) as undefined_replicate_count
    from correlated
    inner join sizes using (condition_id)
    group by all
),

conditions as (
    select distinct
        condition_id, dataset_id, split, template, temperature, top_p, target_tokens, retrieval,
        is_trusted_only, retriever
    from {{ ref('dim_answer_setting') }}
)

select
    conditions.*,
    bounded.* exclude (condition_id, kendall_low, kendall_high, undefined_replicate_count),
    case
        when bounded.kendall is not null and bounded.kendall_low < bounded.kendall_high
            then bounded.kendall_low
    end as kendall_low,
    case
        when bounded.kendall is not null and bounded.kendall_low < bounded.kendall_high
            then bounded.kendall_high
    end as kendall_high,
    case when bounded.n_models < 2 then 0 else bounded.undefined_replicate_count end
        as undefined_replicate_count,
    case
        when bounded.n_models < 2 then 'fewer than two models scored both ways'
        when bounded.kendall is null then 'one way has all models tied'
        {{ when_too_few('bounded.n_questions', 'questions') }}
        when bounded.kendall_low = bounded.kendall_high
            then '95 % of the resamples of questions or more give one value'
    end as reason
from bounded
inner join conditions using (condition_id)
