with

contrasts as (select * from {{ ref('int_verdict_contrasts') }} where kind = 'label'),

settings as (select * from {{ ref('int_verdict_settings') }}),

counted as (select * from {{ ref('int_verdict_contrasts_counted') }}),

compared as (
    select
        contrasts.experiment,
        contrasts.dataset_id,
        one.judge_id,
        one.template,
        one.position,
        one.outcome,
        contrasts.contrast,
        one.variant_id as variant_a,
        other.variant_id as variant_b,
        coalesce(counted.con_units, 0) as n_units,
        coalesce(counted.con_clusters, 0) as n_clusters,
        coalesce(counted.n_answers, 0) as n_answers,
        coalesce(counted.con_split, 0) as split_count,
        counted.con_share_a as share_a,
        counted.con_share_b as share_b,
        {{ difference_columns('con') }},
        coalesce(counted.con_both, 0) as both_con,
        coalesce(counted.con_only_a, 0) as only_a_con,
        coalesce(counted.con_only_b, 0) as only_b_con,
        coalesce(counted.con_neither, 0) as both_pro,
        {{ mcnemar_columns('con') }},
        {{ paired_reason('con') }} as reason
    from contrasts
    inner join settings as one on contrasts.setting_a = one.setting_id
    inner join settings as other on contrasts.setting_b = other.setting_id
    left join counted using (contrast_id)
)

select * from compared
