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

-- Many pairs of judges have the same table, and a p is slow to come by.
tables as (
    select distinct
        right_only_a, right_only_b, right_clusters_a, right_clusters_b, right_discordance_squares
    from counted
),

tests as (
    select
        *,
        {{ mcnemar('right_only_a', 'right_only_b') }} as mcnemar,
        {{ mcnemar_p('right_only_a', 'right_only_b') }} as p_mcnemar,
        {{ mcnemar_exact_p('right_only_a', 'right_only_b') }} as p_exact,
        {{ mcnemar_of_clusters('right_only_a', 'right_only_b', 'right_discordance_squares') }}
            as mcnemar_of_clusters,
        {{ quoted_p_of_clusters(
            'right_only_a', 'right_only_b', 'right_clusters_a', 'right_clusters_b',
            'right_discordance_squares'
        ) }} as p
    from tables
),

compared as (
    select
        contrasts.contrast_id,
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
        tests.mcnemar,
        tests.p_mcnemar,
        tests.p_exact,
        tests.mcnemar_of_clusters,
        tests.p,
        {{ quoted_p_kind_of_clusters(
            'counted.right_clusters_a', 'counted.right_clusters_b', 'counted.right_units',
            'counted.right_clusters'
        ) }} as p_kind,
        case contrasts.kind
            when 'judge' then contrasts.experiment || ' / ' || contrasts.dataset_id || ' / judges'
            when 'human'
                then
                    contrasts.experiment || ' / ' || contrasts.dataset_id || ' / people and '
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
    left join tests
        using (
            right_only_a, right_only_b, right_clusters_a, right_clusters_b,
            right_discordance_squares
        )
),

-- A family can be half a million pairs, which are sorted without what else is known of them.
families as (
    select family_id, row_number() over (order by family_id) as family_key
    from (select distinct family_id from compared)
),

ranked as (
    select compared.contrast_id, families.family_key, compared.p
    from compared
    inner join families using (family_id)
    where compared.p is not null
),

adjusted as (
    {{ benjamini_hochberg('ranked', 'family_key') }}
)

select
    compared.* exclude (contrast_id, reason),
    adjusted.p_adjusted,
    compared.reason
from compared
left join adjusted using (contrast_id)
