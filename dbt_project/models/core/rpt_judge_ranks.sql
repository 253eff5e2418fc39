{#
Which places each judge may have among those asked alike: behind every judge that is better, beyond
chance, and ahead of every one that is worse. Judges with too few units have no place, and take none.
#}
{%- set asked = ranking_columns() %}
with

people as (
    select distinct experiment, dataset_id, judge_id
    from {{ ref('int_verdict_settings') }}
    where is_human
),

-- People who judge debates of questions, one by one and together.
oversight_people as (
    select distinct judge_id from {{ ref('int_oversight_units') }} where source != 'model'
),

adjudications as (
    {% for about, report in [
        ('house_ranks', 'rpt_bp_verdict'), ('speaker_ranks', 'rpt_bp_speaker_ranks'),
        ('speaker_scores', 'rpt_bp_speaker_scores')
    ] %}
        select '{{ about }}' as dimension, setting_id, measure, better, value, n_values, n_units
        from {{ ref(report) }}
        where measure in ('mean_rank_difference', 'mae')
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

estimates as (
    select
        {{ without_ranking_columns(
            ['experiment', 'variant_id', 'evaluator_id', 'evaluator_template', 'min_shared_items']
        ) }},
        'tau_c' as measure,
        'higher' as better,
        dataset_id,
        dimension,
        template,
        judge_id,
        tau_c as estimate,
        n_items as n_units,
        n_units as n_clusters
    from {{ ref('rpt_rank_agreement') }}
    where judge_id != {{ human() }}
    union all by name
    select
        'mean_kappa' as measure,
        'higher' as better,
        dataset_id,
        dimension,
        template,
        min_shared_items,
        judge_id,
        mean_kappa as estimate,
        comparison_count as n_units,
        n_units as n_clusters
    from {{ ref('rpt_rater_agreement') }}
    where judge_id != {{ human() }}
    union all by name
    select
        'accuracy' as measure,
        'higher' as better,
        dataset_id,
        experiment,
        template,
        variant_id,
        judge_id,
        accuracy as estimate,
        n_units,
        n_clusters
    from {{ ref('rpt_verdict_accuracy') }}
    anti join people using (experiment, dataset_id, judge_id)
    where round_count is null
    union all by name
    select
        adjudications.measure,
        adjudications.better,
        settings.dataset_id,
        adjudications.dimension,
        settings.template,
        settings.variant_id,
        settings.judge_id,
        adjudications.value as estimate,
        adjudications.n_values as n_units,
        adjudications.n_units as n_clusters
    from adjudications
    inner join {{ ref('dim_adjudication_setting') }} as settings using (setting_id)
    union all by name
    select
        metric as measure,
        case when {{ better_sign('metric') }} > 0 then 'higher' else 'lower' end as better,
        dataset_id,
        template,
        condition_id as variant_id,
        evaluator_id,
        evaluator_template,
        judge_id,
        score as estimate,
        n_questions as n_units,
        n_questions as n_clusters
    from {{ ref('rpt_debateqa_leaderboard') }}
    union all by name
    select
        'protocol_accuracy' as measure,
        'higher' as better,
        dataset_id,
        protocol as dimension,
        template,
        variant_id,
        judge_id,
        accuracy as estimate,
        n_units,
        n_clusters
    from {{ ref('rpt_protocol_accuracy') }}
    anti join oversight_people using (judge_id)
),

judges as (
    select
        *,
        {{ ranking_id() }} as ranking_id,
        case better when 'higher' then 1 else -1 end as better_sign,
        {{ is_ensemble('judge_id') }} as is_ensemble,
        estimate is not null and not {{ is_ensemble('judge_id') }}
        and n_units >= {{ var('min_units_to_name') }}
        and n_clusters >= {{ var('min_clusters_to_name') }} as is_nameable
    from estimates
),

verdicts as (
    select
        {{ without_ranking_columns(
            ['dimension', 'evaluator_id', 'evaluator_template', 'min_shared_items']
        ) }},
        'accuracy' as measure,
        compared.dataset_id,
        compared.experiment,
        settings.template,
        compared.variant_a as variant_id,
        compared.judge_a,
        compared.judge_b,
        compared.difference,
        compared.p_adjusted
    from {{ ref('rpt_verdict_comparison') }} as compared
    inner join
        (select distinct variant_id, template from {{ ref('int_verdict_settings') }}) as settings
        on compared.variant_a = settings.variant_id
    where compared.comparison = 'judge'
),

pairs as (
    select ranking_id, judge_a, judge_b, difference, p_adjusted
    from {{ ref('int_judge_pairs_adjusted') }}
    union all
    select {{ ranking_id() }}, judge_a, judge_b, difference, p_adjusted
    from verdicts
),

-- Each pair from either side; better is true where the other judge is.
told_apart as (
    select
        pairs.ranking_id,
        unnest([
            {
                'judge_id': pairs.judge_a, 'is_other_better': pairs.difference * one.better_sign < 0
            },
            { 'judge_id': pairs.judge_b, 'is_other_better': pairs.difference * one.better_sign > 0 }
        ]) as side
    from pairs
    inner join judges as one
        on pairs.ranking_id = one.ranking_id and pairs.judge_a = one.judge_id
    inner join judges as other
        on pairs.ranking_id = other.ranking_id and pairs.judge_b = other.judge_id
    where one.is_nameable and other.is_nameable and pairs.p_adjusted < {{ var('rank_level') }}
),

counted as (
    select
        ranking_id,
        side.judge_id,
        count(*) filter (where side.is_other_better) as better_count,
        count(*) filter (where not side.is_other_better) as worse_count
    from told_apart
    group by ranking_id, side.judge_id
),

sizes as (
    select ranking_id, count(*) filter (where is_nameable) as n_ranked
    from judges
    group by ranking_id
)

select
    {% for column in asked %}
        judges.{{ column }},
    {% endfor %}
    judges.judge_id,
    judges.better,
    judges.estimate,
    judges.n_units,
    judges.n_clusters,
    judges.is_ensemble,
    judges.is_nameable,
    sizes.n_ranked,
    case when judges.is_nameable then 1 + coalesce(counted.better_count, 0) end as rank_low,
    case when judges.is_nameable then sizes.n_ranked - coalesce(counted.worse_count, 0) end
        as rank_high,
    case
        when judges.is_ensemble then 'an ensemble is not ranked among judges'
        when judges.estimate is null then 'no value is known'
        when not judges.is_nameable
            then
                'fewer than {{ var("min_units_to_name") }} units or '
                || '{{ var("min_clusters_to_name") }} clusters'
    end as reason
from judges
inner join sizes using (ranking_id)
left join counted using (ranking_id, judge_id)
