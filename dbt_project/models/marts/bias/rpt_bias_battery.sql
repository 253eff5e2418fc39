{#
Every test of bias in one table. A judge's contrasts in an experiment are one family, the terms of its
joint model another, and each contrast brings one p.
#}
{% set singles = {
    'order': {
        'model': ref('rpt_order_bias'),
        'contrast': 'Con closes - Pro closes, by winner',
        'effect': 'mh_difference', 'statistic': 'mh_chi_square', 'df': '1',
        'kind': "'Cochran-Mantel-Haenszel chi-square'", 'p': 'p_mh', 'n_units': 'mh_n_units',
        'reason': 'mh_reason',
        'clause': "'when Con closes the debate, among debates people decided alike'",
    },
    'stance': {
        'model': ref('rpt_stance_bias'),
        'contrast': 'judge - people',
        'effect': 'difference', 'statistic': 'mcnemar_of_clusters', 'df': '1',
        'kind': "'McNemar chi-square (' || p_kind || ')'", 'p': 'p', 'n_units': 'n_units',
        'reason': 'reason',
        'clause': "'than people name it' || case when is_neutralised then '' else"
            ~ " ' (labels and positions not both drawn at random)' end",
    },
    'verbosity': {
        'model': ref('rpt_verbosity_bias'),
        'contrast': 'judge - people, per doubling of Con over Pro',
        'effect': 'difference', 'statistic': 'statistic', 'df': 'df', 'kind': "'t'", 'p': 'p',
        'n_units': 'n_units', 'reason': 'reason',
        'clause': "'than by people for each doubling of its words over Pro''s'",
    },
} %}
with

positions as (
    select
        *,
        bool_or(contrast = 'con second - con first') over (
            partition by experiment, dataset_id, judge_id, variant_a
        ) as has_both_orders
    from {{ ref('rpt_position_bias') }}
),

position_tests as (
    select
        experiment, dataset_id, judge_id, 'position' as bias, contrast, variant_a, variant_b,
        difference as effect,
        difference_low as effect_low,
        difference_high as effect_high,
        mcnemar_of_clusters as statistic,
        'McNemar chi-square (' || p_kind || ')' as statistic_kind,
        case when mcnemar_of_clusters is not null then 1.0 end as df,
        p, n_units, n_clusters, n_answers,
        contrast = 'con second - con first' or not has_both_orders as is_tested,
        'not tested twice, both orders were asked' as untested_reason,
        reason,
        case contrast
            when 'con second - con first' then 'when Con is named second'
            else 'when Con is always named second than when the order is drawn'
        end as clause
    from positions
),

label_tests as (
    select
        experiment, dataset_id, judge_id, 'label' as bias, contrast, variant_a, variant_b,
        difference as effect,
        difference_low as effect_low,
        difference_high as effect_high,
        mcnemar_of_clusters as statistic,
        'McNemar chi-square (' || p_kind || ')' as statistic_kind,
        case when mcnemar_of_clusters is not null then 1.0 end as df,
        p, n_units, n_clusters, n_answers,
        true as is_tested,
        null as untested_reason,
        reason,
        printf(
            'when Con has the label %s than when it has %s',
            split_part(split_part(contrast, ' - ', 1), '/', 2), split_part(contrast, '/', 1)
        ) as clause
    from {{ ref('rpt_label_bias') }}
),

{% for bias, single in singles.items() %}
    {{ bias }}_tests as (
        select
            experiment, dataset_id, judge_id, '{{ bias }}' as bias,
            '{{ single.contrast }}' as contrast,
            variant_id as variant_a,
            null as variant_b,
            {{ single.effect }} as effect,
            {{ single.effect }}_low as effect_low,
            {{ single.effect }}_high as effect_high,
            {{ single.statistic }} as statistic,
            {{ single.kind }} as statistic_kind,
            case when {{ single.statistic }} is not null then {{ single.df }}::double end as df,
            {{ single.p }} as p,
            {{ single.n_units }} as n_units, n_clusters, n_answers,
            true as is_tested,
            null as untested_reason,
            {{ single.reason }} as reason,
            {{ single.clause }} as clause
        from {{ single.model }}
    ),
{% endfor %}

-- The people's winner is in the joint model to be held fixed: it is no bias, and not tested as one.
joint_tests as (
    select
        experiment, dataset_id, judge_id, term as bias, 'joint model' as contrast,
        null as variant_a,
        null as variant_b,
        marginal_effect as effect,
        marginal_effect_low as effect_low,
        marginal_effect_high as effect_high,
        statistic,
        't' as statistic_kind,
        df,
        p, n_clusters as n_units, n_clusters, n_answers,
        term != 'human winner con' as is_tested,
        'no bias, but agreement with people' as untested_reason,
        reason,
        case
            when term = 'con second' then 'when Con is named second'
            when term like 'label %'
                then printf('when Con has the second label of %s', replace(term, 'label ', ''))
            when term = 'con closes' then 'when Con closes the debate'
            when term = 'log2 length ratio' then 'for each doubling of its words over Pro''s'
            when term = 'human winner con' then 'when people let Con win'
            else 'with ' || term
        end || ', all else equal' as clause
    from {{ ref('rpt_bias_joint') }}
),

gathered as (
    {% for source in ['position', 'label', 'order', 'stance', 'verbosity', 'joint'] %}
        select
            '{{ 'joint model' if source == 'joint' else 'contrasts' }}' as family,
            *
        from {{ source }}_tests
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

families as (
    select
        *,
        experiment || ' / ' || dataset_id || ' / ' || judge_id
        || case family when 'joint model' then ' / joint model' else '' end as family_id,
        case when is_tested then p end as family_p
    from gathered
),

multiplied as (
    select *, {{ benjamini_hochberg_product('family_p', 'family_id') }} as product
    from families
),

adjusted as (
    select
        * exclude (reason),
        {{ benjamini_hochberg('product', 'family_p', 'family_id') }} as p_adjusted,
        p_adjusted < 0.05 as is_significant,
        case
            when p is not null and not is_tested then untested_reason
            when p is null or effect_low is null then reason
        end as reason
    from multiplied
)

select
    family_id,
    family,
    experiment,
    dataset_id,
    judge_id,
    bias,
    contrast,
    variant_a,
    variant_b,
    effect,
    effect_low,
    effect_high,
    statistic,
    statistic_kind,
    df,
    p,
    p_adjusted,
    n_units,
    n_clusters,
    n_answers,
    is_significant,
    {{ finding('clause', 'effect', 'is_significant', 'n_units', 'reason') }} as finding,
    reason
from adjusted
