{#
The family a comparison is corrected in: all pairs of judges of an experiment, all pairs of one judge's
settings, or all of the people beside one judge.
#}
with

contrasts as (
    select * from {{ ref('int_verdict_contrasts') }} where kind not in ('position', 'label')
),

settings as (select * from {{ ref('int_verdict_settings') }}),

counted as (select * from {{ ref('int_verdict_contrasts_counted') }}),

compared as (
    select
        contrasts.kind as comparison,
        contrasts.experiment,
        contrasts.dataset_id,
        one.judge_id as judge_a,
        other.judge_id as judge_b,
        one.variant_id as variant_a,
        other.variant_id as variant_b,
        contrasts.contrast,
        coalesce(counted.right_units, 0) as n_units,
        coalesce(counted.right_clusters, 0) as n_clusters,
        coalesce(counted.right_split, 0) as split_count,
        counted.right_share_a as accuracy_a,
        counted.right_share_b as accuracy_b,
        {{ difference_columns('right') }},
        coalesce(counted.right_both, 0) as both_right,
        coalesce(counted.right_only_a, 0) as only_a_right,
        coalesce(counted.right_only_b, 0) as only_b_right,
        coalesce(counted.right_neither, 0) as both_wrong,
        {{ mcnemar('counted.right_only_a', 'counted.right_only_b') }} as mcnemar,
        {{ mcnemar_p('counted.right_only_a', 'counted.right_only_b') }} as p_mcnemar,
        {{ mcnemar_exact_p('counted.right_only_a', 'counted.right_only_b') }} as p_exact,
        {{ quoted_columns('right') }},
        case contrasts.kind
            when 'judge' then contrasts.experiment || ' / ' || contrasts.dataset_id || ' / judges'
            when 'human'
                then contrasts.experiment || ' / ' || contrasts.dataset_id || ' / people and '
                    || other.judge_id
            else contrasts.experiment || ' / ' || contrasts.dataset_id || ' / ' || one.judge_id
        end as family_id,
        coalesce(counted.con_units, 0) as n_shared,
        (counted.con_both + counted.con_neither)
        / nullif(counted.con_units - counted.con_split, 0) as agreement,
        {{ difference_columns('con', 'con_share_difference') }},
        {{ paired_reason('right') }} as reason
    from contrasts
    inner join settings as one on contrasts.setting_a = one.setting_id
    inner join settings as other on contrasts.setting_b = other.setting_id
    left join counted using (contrast_id)
),

multiplied as (
    select *, {{ benjamini_hochberg_product('p', 'family_id') }} as p_product
    from compared
)

select
    * exclude (p_product, reason),
    {{ benjamini_hochberg('p_product', 'p', 'family_id') }} as p_adjusted,
    reason
from multiplied
