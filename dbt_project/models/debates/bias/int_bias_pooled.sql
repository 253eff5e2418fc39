{#
Each bias of a judge over all ways of asking that leave it free of position and labels: one estimate and
one p. Every estimator is linear in the verdicts, so what it makes of a way of asking's departures is how
far that way's effect is from the mean.

Heterogeneity is Cochran's Q with the variance of these departures over clusters, because ways of asking
share their debates: under equal effects it is its degrees of freedom on average, however the ways are
correlated (the first-order correction of Rao and Scott 1984).
#}
{%- set minimum = var('min_units_for_interval') %}
with

arms as (select * from {{ ref('int_bias_arms') }}),

groups as (
    select
        group_id,
        experiment,
        dataset_id,
        judge_id,
        template,
        wording,
        outcome,
        bool_or(is_neutral) as is_neutral
    from arms
    group by group_id, experiment, dataset_id, judge_id, template, wording, outcome
),

tests as (
    select distinct group_id, bias, contrast
    from {{ ref('int_bias_pairs') }}
    where is_neutral
    union all
    select groups.group_id, test.bias, test.contrast
    from groups
    inner join (
        values
        ('order', 'Con closes - Pro closes, by winner'),
        ('stance', 'judge - people'),
        ('verbosity', 'judge - people, by words of Con over Pro'),
        ('side', 'Pro - one half')
    ) as test (bias, contrast)
        on groups.is_neutral or test.bias = 'side'
),

estimates as (
    select * from {{ ref('int_bias_differences') }}
    union all by name
    select *, 'order' as bias from {{ ref('int_bias_orders') }}
    union all by name
    select *, 'verbosity' as bias from {{ ref('int_bias_slopes') }}
),

heterogeneity as (
    select
        bias,
        group_id,
        count(*) as arm_count,
        max(abs(effect)) > 1e-9 as is_varied,
        case
            when count(effect) < count(*) then 'one of the ways of asking has no estimate'
            {{ when_too_few('min(n_clusters)', 'clusters') }}
            when sum(error ^ 2) > 1e-18 then null
            when is_varied then 'the ways of asking differ by the same in every cluster'
            else 'the ways of asking never differ'
        end as q_reason,
        case
            when q_reason is null then (count(*) - 1) * sum(effect ^ 2) / sum(error ^ 2)
        end as q
    from estimates
    where arm_id is not null
    group by bias, group_id
),

-- Debates that were asked about, but in no set of ways that is neutral together.
asked as (
    select arms.group_id, 'verdict' as kind, count(distinct units.debate_key) as debate_count
    from {{ ref('int_verdict_units') }} as units
    inner join arms using (setting_id)
    where arms.is_neutral
    group by arms.group_id
    union all
    select arms.group_id, 'side', count(distinct sides.motion_key)
    from {{ ref('int_side_units') }} as sides
    inner join arms using (setting_id)
    group by arms.group_id
),

pooled as (
    select kind, group_id, count(*) as debate_count
    from {{ ref('int_bias_means') }}
    group by kind, group_id
),

joined as (
    select
        groups.* exclude (is_neutral),
        tests.bias,
        tests.contrast,
        coalesce(heterogeneity.arm_count, 1) as arm_count,
        {{ or_zero(['n_units', 'n_clusters', 'n_answers', 'split_count'], of='estimates') }},
        coalesce(asked.debate_count - coalesce(pooled.debate_count, 0), 0) as incomplete_count,
        estimates.effect,
        case
            when estimates.n_clusters >= {{ minimum }} then {{ spread('estimates.error') }}
        end as error,
        estimates.is_undefined_without_one,
        estimates.discordance,
        estimates.discordance_squares,
        estimates.clusters_a,
        estimates.clusters_b,
        estimates.score_square,
        estimates.score_variance,
        tests.bias in ('position', 'label', 'stance') as is_mcnemar,
        tests.bias = 'order' and estimates.n_clusters = estimates.n_units as is_cochran,
        heterogeneity.q,
        heterogeneity.is_varied,
        case
            when heterogeneity.bias is null then 'one way of asking' else heterogeneity.q_reason
        end as q_reason
    from tests
    inner join groups using (group_id)
    left join estimates
        on
            tests.group_id = estimates.group_id
            and tests.bias = estimates.bias
            and estimates.arm_id is null
    left join heterogeneity
        on tests.group_id = heterogeneity.group_id and tests.bias = heterogeneity.bias
    left join asked
        on
            tests.group_id = asked.group_id
            and case when tests.bias = 'side' then 'side' else 'verdict' end = asked.kind
            and tests.bias not in ('position', 'label')
    left join pooled on tests.group_id = pooled.group_id and asked.kind = pooled.kind
),

tested as (
    select
        *,
        case
            when is_mcnemar
                then {{ mcnemar_of_clusters('discordance', '0', 'discordance_squares') }}
            when is_cochran then score_square / nullif(round(score_variance, 9), 0)
            else effect / error
        end as statistic,
        case
            when is_mcnemar
                then {{ quoted_p_of_clusters(
                    'discordance', '0', 'clusters_a', 'clusters_b', 'discordance_squares'
                ) }}
            when is_cochran then chi_square_p(statistic, 1::double)
            else student_t_two_sided(statistic, (n_clusters - 1)::double)
        end as p,
        case
            when statistic is null then null
            when is_mcnemar
                then 'McNemar chi-square (' || {{ quoted_p_kind_of_clusters(
                    'clusters_a', 'clusters_b', 'n_units', 'n_clusters'
                ) }} || ')'
            when is_cochran then 'Cochran-Mantel-Haenszel chi-square'
            else 't'
        end as statistic_kind,
        case
            when statistic is null then null
            when is_mcnemar or is_cochran then 1.0
            else (n_clusters - 1)::double
        end as df,
        student_t_quantile(0.975::double, (n_clusters - 1)::double) * error as half_width
    from joined
)

select
    * exclude (
        discordance, discordance_squares, clusters_a, clusters_b, score_square, score_variance,
        is_mcnemar, is_cochran, half_width, is_varied, is_undefined_without_one
    ),
    {% for end, sign in [('low', '-'), ('high', '+')] %}
        case
            when bias = 'verbosity' then effect {{ sign }} half_width
            when bias = 'side' then {{ clip('effect ' ~ sign ~ ' half_width', '-0.5', '0.5') }}
            else {{ clip('effect ' ~ sign ~ ' half_width', '-1.0', '1.0') }}
        end as effect_{{ end }},
    {% endfor %}
    case when q is not null then (arm_count - 1)::double end as q_df,
    chi_square_p(q, (arm_count - 1)::double) as q_p,
    -- Where the ways differ by the same in every cluster, there is no error to test with.
    case
        when q is not null then q_p < 0.05
        when q_reason like 'the ways of asking%' then is_varied
    end as is_heterogeneous,
    case when q is not null then {{ clip('1 - (arm_count - 1) / nullif(q, 0)', '0.0', '1.0') }} end
        as i_squared,
    case
        when n_units = 0
            then
                case bias
                    when
                        'order'
                        then
                            'no debate with a winner by people, a known closing side and a majority'
                    when 'stance' then 'no debate with a winner by people and a known closing side'
                    when
                        'verbosity'
                        then 'no debate with words on both sides and a winner by people'
                    when
                        'side'
                        then 'no motion was argued twice by the same debaters with sides exchanged'
                    else 'no debate in both'
                end
        when effect is null
            then
                case bias
                    when
                        'stance'
                        then 'one side closes every debate, and the last word is no stance'
                    when 'order' then 'among debates with one winner, one side closes every time'
                    else 'every debate has the same length ratio'
                end
        when is_mcnemar and discordance_squares = 0 then 'no discordant pairs'
        when is_mcnemar and p is null then 'no discordant clusters'
        {{ when_too_few('n_clusters', 'clusters') }}
        when bias = 'order' and statistic is null then 'one class only'
        when is_undefined_without_one then 'undefined without one of the clusters'
        when error is null
            then
                case bias
                    when 'order' then 'no cluster changes the difference'
                    when 'verbosity' then 'no residual variation'
                    else 'every cluster differs alike'
                end
    end as reason
from tested
