with

contrasts as (select * from {{ ref('int_verdict_contrasts') }} where kind = 'position'),

settings as (select * from {{ ref('int_verdict_settings') }}),

counted as (select * from {{ ref('int_verdict_contrasts_counted') }}),

-- The paper's test takes each setting's own debates, whether the other has them or not.
alone as (
    select setting_id, count(*) as n_units, sum(con_share) as con_sum
    from {{ ref('int_verdict_units') }}
    where parsed_count > 0
    group by setting_id
),

compared as (
    select
        contrasts.experiment,
        contrasts.dataset_id,
        one.judge_id,
        one.template,
        one.verbalizer,
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
        {{ two_proportion_z(
            'alone_a.con_sum', 'alone_a.n_units', 'alone_b.con_sum', 'alone_b.n_units'
        ) }} as z_paper,
        {{ paired_reason('con') }} as reason
    from contrasts
    inner join settings as one on contrasts.setting_a = one.setting_id
    inner join settings as other on contrasts.setting_b = other.setting_id
    left join counted using (contrast_id)
    left join alone as alone_a on contrasts.setting_a = alone_a.setting_id
    left join alone as alone_b on contrasts.setting_b = alone_b.setting_id
)

select
    * exclude (reason),
    normal_two_sided(z_paper) as p_z_paper,
    reason
from compared
