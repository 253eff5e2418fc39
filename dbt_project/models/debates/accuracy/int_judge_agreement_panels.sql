{#
Agreement of all of a group's judges at once. Fleiss' kappa (1971) takes the debates all of them
decided; Krippendorff's alpha (nominal, 2011) those that two of them decided, each verdict weighted so
that a debate counts by its number of verdicts. Clusters with the same sums become one row.
#}
with

panel_units as (select * from {{ ref('int_judge_agreement_units') }} where is_panelist),

seats as (
    select group_key, count(distinct setting_id) filter (is_con is not null) as judge_count
    from panel_units
    group by group_key
),

votes as (
    select
        group_key,
        debate_key,
        cluster_key,
        count(is_con) as verdicts,
        count(*) filter (is_con) as con,
        count(*) filter (is_con is null) as split_count
    from panel_units
    group by all
),

per_debate as (
    select
        votes.*,
        seats.judge_count,
        verdicts >= 2 as is_shared,
        verdicts >= 2 and verdicts = judge_count as is_complete,
        con * (verdicts - con) * 2 as disagreeing
    from votes
    inner join seats using (group_key)
),

clusters as (
    select
        group_key,
        judge_count,
        count(*) filter (is_shared) as n_units,
        count(*) filter (is_complete) as complete_count,
        sum(split_count)::bigint as split_count,
        coalesce(sum(disagreeing / (verdicts * (verdicts - 1.0))) filter (is_shared), 0)
            as disagreement,
        coalesce(sum(verdicts) filter (is_shared), 0)::bigint as verdicts,
        coalesce(sum(con) filter (is_shared), 0)::bigint as con,
        coalesce(sum(disagreeing / (verdicts - 1.0)) filter (is_shared), 0) as alpha_disagreement,
        coalesce(sum(con) filter (is_complete), 0)::bigint as complete_con,
        coalesce(sum(disagreeing) filter (is_complete), 0)::bigint as complete_disagreeing
    from per_debate
    group by group_key, judge_count, cluster_key
),

vectors as (
    select *, count(*) as n_clusters
    from clusters
    group by all
),

summed as (
    select
        group_key,
        judge_count,
        {% for sum in [
            'n_units', 'complete_count', 'split_count', 'disagreement', 'verdicts', 'con',
            'alpha_disagreement', 'complete_con', 'complete_disagreeing',
        ] -%}
            sum(n_clusters * {{ sum }}) as {{ sum }},
        {% endfor -%}
        coalesce(sum(n_clusters) filter (n_units > 0), 0)::bigint as n_clusters,
        coalesce(sum(n_clusters) filter (complete_count > 0), 0)::bigint as complete_clusters
    from vectors
    group by group_key, judge_count
),

totals as (
    select
        *,
        1 - disagreement / nullif(n_units, 0) as raw_agreement,
        {{ fleiss_kappa('complete_count', 'complete_con', 'complete_disagreeing', 'judge_count') }}
            as fleiss_kappa,
        {{ krippendorff_alpha('verdicts', 'con', 'alpha_disagreement') }} as krippendorff_alpha
    from summed
),

left_out as (
    select
        vectors.group_key,
        vectors.n_clusters as weight,
        vectors.n_units > 0 as is_shared,
        vectors.complete_count > 0 as is_complete,
        vectors.n_units * (1 - totals.raw_agreement) - vectors.disagreement as residual,
        {{ fleiss_kappa(
            '(totals.complete_count - vectors.complete_count)',
            '(totals.complete_con - vectors.complete_con)',
            '(totals.complete_disagreeing - vectors.complete_disagreeing)',
            'totals.judge_count',
        ) }} - totals.fleiss_kappa as kappa_change,
        {{ krippendorff_alpha(
            '(totals.verdicts - vectors.verdicts)',
            '(totals.con - vectors.con)',
            '(totals.alpha_disagreement - vectors.alpha_disagreement)',
        ) }} - totals.krippendorff_alpha as alpha_change
    from vectors
    inner join totals using (group_key)
),

spread as (
    select
        group_key,
        sum(weight * residual ^ 2) filter (is_shared) as squared_residuals,
        {% for change, condition in [
            ('kappa_change', 'is_complete'), ('alpha_change', 'is_shared')
        ] -%}
            case
                when
                    count(*) filter ({{ condition }}) = count({{ change }}) filter ({{ condition }})
                    then
                        sum(weight * {{ change }} ^ 2) filter ({{ condition }})
                        / sum(weight) filter ({{ condition }})
                        - (
                            sum(weight * {{ change }}) filter ({{ condition }})
                            / sum(weight) filter ({{ condition }})
                        ) ^ 2
            end as {{ change }}_variance,
        {% endfor -%}
    from left_out
    group by group_key
)

select
    totals.*,
    n_clusters / nullif(n_clusters - 1.0, 0) * spread.squared_residuals / nullif(n_units, 0) ^ 2
        as agreement_variance,
    {{ clip('spread.kappa_change_variance', 0.0, 1.0) }} as kappa_variance,
    {{ clip('spread.alpha_change_variance', 0.0, 1.0) }} as alpha_variance
from totals
left join spread using (group_key)
where judge_count >= 2
