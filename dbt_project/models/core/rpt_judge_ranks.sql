{#
Which places each judge may have among those asked alike: behind every judge that is better, beyond
chance, and ahead of every one that is worse. Judges with too few units have no place, and take none.
#}
{%- set asked = ['measure', 'dataset_id', 'dimension', 'experiment', 'template', 'variant_id', 'min_shared_items'] %}
with

people as (
    select distinct experiment, dataset_id, judge_id
    from {{ ref('int_verdict_settings') }}
    where is_human
),

estimates as (
    select
        'tau_c' as measure,
        dataset_id,
        dimension,
        null::varchar as experiment,
        template,
        null::varchar as variant_id,
        null::bigint as min_shared_items,
        judge_id,
        tau_c as estimate,
        n_items as n_units,
        n_units as n_clusters
    from {{ ref('rpt_rank_agreement') }}
    where judge_id != {{ human() }}
    union all by name
    select
        'mean_kappa' as measure,
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
),

judges as (
    select
        *,
        concat_ws(' / ', {{ asked | join(', ') }}) as ranking_id,
        {{ is_ensemble('judge_id') }} as is_ensemble,
        estimate is not null and not {{ is_ensemble('judge_id') }}
        and n_units >= {{ var('min_units_to_name') }}
        and n_clusters >= {{ var('min_clusters_to_name') }} as is_nameable
    from estimates
),

pairs as (
    select
        concat_ws(' / ', measure, dataset_id, dimension, template, min_shared_items) as ranking_id,
        judge_a,
        judge_b,
        difference,
        p_adjusted
    from {{ ref('int_speech_judge_pairs') }}
    union all by name
    select
        concat_ws(' / ', 'accuracy', compared.dataset_id, compared.experiment, settings.template, compared.variant_a)
            as ranking_id,
        compared.judge_a,
        compared.judge_b,
        compared.difference,
        compared.p_adjusted
    from {{ ref('rpt_verdict_comparison') }} as compared
    inner join (select distinct variant_id, template from {{ ref('int_verdict_settings') }}) as settings
        on compared.variant_a = settings.variant_id
    where compared.comparison = 'judge'
),

-- Each pair from either side; better is true where the other judge is.
told_apart as (
    select
        pairs.ranking_id,
        unnest([
            {'judge_id': pairs.judge_a, 'is_other_better': pairs.difference < 0},
            {'judge_id': pairs.judge_b, 'is_other_better': pairs.difference > 0}
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
            then 'fewer than {{ var("min_units_to_name") }} units or {{ var("min_clusters_to_name") }} clusters'
    end as reason
from judges
inner join sizes using (ranking_id)
left join counted using (ranking_id, judge_id)
