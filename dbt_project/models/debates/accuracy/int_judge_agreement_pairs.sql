{#
Raw agreement and Cohen's kappa of two judges, with their variances over clusters: that of a mean over
clusters of unequal size, and for kappa that of the values without each cluster in turn. Debates that
are clusters of their own fall into four kinds, one per cell of the table, so four values say it all.
#}
{%- set cells = ['both_con', 'only_a_con', 'only_b_con', 'both_pro'] %}
with

vectors as (
    select *, {{ cells | join(' + ') }} as n_units
    from {{ ref('int_judge_agreement_vectors') }}
),

shared as (
    select
        setting_a,
        setting_b,
        {%- for cell in cells + ['split_count'] %}
            sum(n_clusters * {{ cell }})::bigint as {{ cell }},
        {%- endfor %}
        coalesce(sum(n_clusters) filter (n_units > 0), 0)::bigint as n_clusters
    from vectors
    group by setting_a, setting_b
),

summed as (
    select
        setting_a,
        setting_b,
        {%- for cell in cells %}
            coalesce(singles.{{ cell }}, 0) as single_{{ cell }},
            coalesce(singles.{{ cell }}, 0) + coalesce(shared.{{ cell }}, 0) as {{ cell }},
        {%- endfor %}
        coalesce(singles.split_count, 0) + coalesce(shared.split_count, 0) as split_count,
        coalesce(shared.n_clusters, 0) as shared_clusters
    from {{ ref('int_judge_agreement_counts') }} as singles
    full join shared using (setting_a, setting_b)
),

totals as (
    select
        *,
        {{ cells | join(' + ') }} as n_units,
        single_{{ cells | join(' + single_') }}
        + shared_clusters as n_clusters,
        (both_con + both_pro) / nullif(n_units, 0) as raw_agreement,
        {{ cohen_kappa(*cells) }} as cohen_kappa
    from summed
),

shared_changes as (
    select
        vectors.setting_a,
        vectors.setting_b,
        vectors.n_clusters,
        vectors.both_con + vectors.both_pro - totals.raw_agreement * vectors.n_units as residual,
        {{ cohen_kappa(
            '(totals.both_con - vectors.both_con)',
            '(totals.only_a_con - vectors.only_a_con)',
            '(totals.only_b_con - vectors.only_b_con)',
            '(totals.both_pro - vectors.both_pro)',
        ) }} - totals.cohen_kappa as kappa_change
    from vectors
    inner join totals using (setting_a, setting_b)
    where vectors.n_units > 0
),

shared_spread as (
    select
        setting_a,
        setting_b,
        sum(n_clusters * residual ^ 2) as squared_residuals,
        bool_or(kappa_change is null) as is_undefined,
        sum(n_clusters * kappa_change) as change,
        sum(n_clusters * kappa_change ^ 2) as squared_change
    from shared_changes
    group by setting_a, setting_b
),

changed as (
    select
        *,
        {%- for left_out in cells %}
        {{ cohen_kappa(
            '(both_con - 1)' if left_out == 'both_con' else 'both_con',
            '(only_a_con - 1)' if left_out == 'only_a_con' else 'only_a_con',
            '(only_b_con - 1)' if left_out == 'only_b_con' else 'only_b_con',
            '(both_pro - 1)' if left_out == 'both_pro' else 'both_pro',
        ) }} - cohen_kappa as {{ left_out }}_change,
        {%- endfor %}
    from totals
),

spread as (
    select
        changed.* exclude (both_con_change, only_a_con_change, only_b_con_change, both_pro_change),
        (single_both_con + single_both_pro) * (1 - raw_agreement) ^ 2
        + (single_only_a_con + single_only_b_con) * raw_agreement ^ 2
        + coalesce(squared_residuals, 0) as squared_residuals,
        coalesce(is_undefined, false)
        {%- for cell in cells %}
            or (single_{{ cell }} > 0 and {{ cell }}_change is null)
        {%- endfor %} as is_undefined,
        coalesce(change, 0)
        {%- for cell in cells %}
            + case when single_{{ cell }} > 0 then single_{{ cell }} * {{ cell }}_change else 0 end
        {%- endfor %} as change,
        coalesce(squared_change, 0)
        {%- for cell in cells %}
            + case
                when single_{{ cell }} > 0 then single_{{ cell }} * {{ cell }}_change ^ 2 else 0
            end
        {%- endfor %} as squared_change
    from changed
    left join shared_spread using (setting_a, setting_b)
)

select
    setting_a,
    setting_b,
    n_units,
    n_clusters,
    split_count,
    raw_agreement,
    n_clusters / nullif(n_clusters - 1.0, 0) * squared_residuals / nullif(n_units, 0) ^ 2
        as agreement_variance,
    cohen_kappa,
    -- Unknown where leaving out some cluster leaves no kappa.
    case
        when not is_undefined
            then {{ clip(
                'squared_change / nullif(n_clusters, 0) - (change / nullif(n_clusters, 0)) ^ 2',
                '0.0', '1.0',
            ) }}
    end as kappa_variance
from spread
