with

settings as (select * from {{ ref('int_judge_agreement_settings') }}),

groups as (
    select distinct group_key, experiment, dataset_id, variant_id
    from settings
),

pair_rows as (
    select
        'pair' as scope,
        setting_a.experiment,
        setting_a.dataset_id,
        setting_a.variant_id,
        setting_a.judge_id as judge_a,
        setting_b.judge_id as judge_b,
        2 as judge_count,
        pairs.* exclude (setting_a, setting_b, kappa_variance),
        pairs.kappa_variance as cohen_variance
    from {{ ref('int_judge_agreement_pairs') }} as pairs
    inner join settings as setting_a on pairs.setting_a = setting_a.setting_id
    inner join settings as setting_b on pairs.setting_b = setting_b.setting_id
),

panel_rows as (
    select
        'panel' as scope,
        groups.experiment,
        groups.dataset_id,
        groups.variant_id,
        panels.* exclude (group_key, kappa_variance),
        panels.kappa_variance as fleiss_variance
    from {{ ref('int_judge_agreement_panels') }} as panels
    inner join groups using (group_key)
),

unioned as (
    select * from pair_rows
    union all by name
    select * from panel_rows
),

cluster_counts as (
    select n_clusters as n from unioned
    union
    select complete_clusters as n from unioned
),

-- Half a million pairs have few numbers of clusters between them, and a quantile is dear.
factors as (
    select
        n,
        {{ clustered_half_width('1.0', 'n') }} as of_mean,
        {{ jackknife_half_width('1.0', 'n') }} as of_jackknife
    from cluster_counts
),

half_widths as (
    select
        unioned.*,
        factors.of_mean as quantile,
        {{ spread('factors.of_mean * sqrt(agreement_variance)') }} as agreement_half_width,
        {{ spread('factors.of_jackknife * sqrt(cohen_variance)') }} as cohen_half_width,
        {{ spread('complete.of_jackknife * sqrt(fleiss_variance)') }} as fleiss_half_width,
        {{ spread('factors.of_jackknife * sqrt(alpha_variance)') }} as alpha_half_width
    from unioned
    left join factors on unioned.n_clusters = factors.n
    left join factors as complete on unioned.complete_clusters = complete.n
),

-- A column by itself, because the interval names it fourteen times.
counted as (
    select
        *,
        case
            when n_clusters >= {{ var('min_units_for_interval') }}
                then {{ independent_count(
                    'raw_agreement', 'agreement_half_width', 'n_clusters', 'quantile'
                ) }}
        end as independent_count
    from half_widths
)

select
    scope,
    experiment,
    dataset_id,
    variant_id,
    judge_a,
    judge_b,
    judge_count::bigint as judge_count,
    n_units::bigint as n_units,
    n_clusters::bigint as n_clusters,
    split_count::bigint as split_count,
    complete_count::bigint as complete_count,
    raw_agreement,
    {{ wilson_ends('raw_agreement', 'independent_count') }},
    {%- for figure, half_width in [
        ('cohen_kappa', 'cohen_half_width'), ('fleiss_kappa', 'fleiss_half_width'),
        ('krippendorff_alpha', 'alpha_half_width'),
    ] %}
        {{ figure }},
        {{ clipped_ends(figure, half_width, -1.0, 1.0) }},
    {%- endfor %}
    case
        when n_units = 0 then 'no debate both decided'
        when scope = 'pair' and cohen_kappa is null then 'both always name the same side'
        when scope = 'panel' and krippendorff_alpha is null then 'all always name the same side'
        when scope = 'panel' and complete_count = 0 then 'no debate all of them decided'
        when scope = 'panel' and fleiss_kappa is null
            then 'all name the same side wherever all of them decided'
    end as reason
from counted
