{#
Every bias of a judge in one table. A test pools all ways of asking of one template that leave the bias
free of position and labels. Where these ways disagree, each that is free of both by itself is tested, too.
Ways that are not free only describe. A judge's tests in an experiment are one family, the terms of its
joint models another, and each test brings one p.
#}
{% set singles = {
    'order': {
        'model': ref('rpt_order_bias'),
        'contrast': 'Con closes - Pro closes, by winner',
        'effect': 'mh_difference', 'statistic': 'mh_chi_square', 'df': '1',
        'kind': "'Cochran-Mantel-Haenszel chi-square'", 'p': 'p_mh', 'n_units': 'mh_n_units',
        'reason': 'mh_reason',
    },
    'stance': {
        'model': ref('rpt_stance_bias'),
        'contrast': 'judge - people',
        'effect': 'difference', 'statistic': 'mcnemar_of_clusters', 'df': '1',
        'kind': "'McNemar chi-square (' || p_kind || ')'", 'p': 'p', 'n_units': 'n_units',
        'reason': 'reason',
    },
    'verbosity': {
        'model': ref('rpt_verbosity_bias'),
        'contrast': 'judge - people, by words of Con over Pro',
        'effect': 'difference', 'statistic': 'statistic', 'df': 'df', 'kind': "'t'", 'p': 'p',
        'n_units': 'n_units', 'reason': 'reason', 'share_change': 'difference_per_ten_pct_words',
    },
} %}
with

arms as (select * from {{ ref('int_bias_arms') }}),

pairs as (
    select
        one.experiment, one.dataset_id, one.judge_id, one.template, one.variant_id as variant_a,
        other.variant_id as variant_b, one.wording, one.outcome, one.group_id,
        pairs.why_descriptive
    from {{ ref('int_bias_pairs') }} as pairs
    inner join arms as one on pairs.setting_a = one.setting_id
    inner join arms as other on pairs.setting_b = other.setting_id
),

pooled as (
    select
        'test' as role, experiment, dataset_id, judge_id, template, wording, outcome, bias,
        contrast,
        null as variant_a,
        null as variant_b,
        effect, effect_low, effect_high,
        {% for end in ['', '_low', '_high'] %}
            case
                when bias = 'verbosity' then {{ per_ten_pct_words('effect', end) }}
                else effect{{ end }}
            end as share_change{{ end }},
        {% endfor %}
        {% for name in ['statistic', 'statistic_kind', 'df', 'p'] %}
            case
                when
                    bias != 'verbosity' or {{ why_beyond_a_share('effect') }} is null
                    then {{ name }}
            end
                as {{ name }},
        {% endfor %}
        n_units, n_clusters, n_answers, split_count, incomplete_count, arm_count,
        q as heterogeneity_q,
        q_df as heterogeneity_df,
        q_p as heterogeneity_p,
        i_squared,
        q_reason as heterogeneity_reason,
        is_heterogeneous,
        true as is_neutralised,
        null as untested_reason,
        coalesce(case when bias = 'verbosity' then {{ why_beyond_a_share('effect') }} end, reason)
            as reason
    from {{ ref('int_bias_pooled') }}
),

{% for bias in ['position', 'label'] %}
    {{ bias }}_arms as (
        select
            experiment, dataset_id, judge_id, pairs.template, wording, outcome,
            '{{ bias }}' as bias,
            contrast,
            variant_a, variant_b,
            difference as effect,
            difference_low as effect_low,
            difference_high as effect_high,
            difference as share_change,
            difference_low as share_change_low,
            difference_high as share_change_high,
            mcnemar_of_clusters as statistic,
            'McNemar chi-square (' || p_kind || ')' as statistic_kind,
            case when mcnemar_of_clusters is not null then 1.0 end as df,
            p, n_units, n_clusters, n_answers, split_count,
            group_id,
            true as is_free_alone,
            why_descriptive,
            reason
        from {{ ref('rpt_' ~ bias ~ '_bias') }}
        inner join pairs
            using (experiment, dataset_id, judge_id, variant_a, variant_b, outcome)
    ),
{% endfor %}

{% for bias, single in singles.items() %}
    {{ bias }}_arms as (
        select
            experiment, dataset_id, judge_id, arms.template, wording, outcome, '{{ bias }}' as bias,
            '{{ single.contrast }}' as contrast,
            variant_id as variant_a,
            null as variant_b,
            {{ single.effect }} as effect,
            {{ single.effect }}_low as effect_low,
            {{ single.effect }}_high as effect_high,
            {% for end in ['', '_low', '_high'] %}
                {{ single.share_change or single.effect }}{{ end }} as share_change{{ end }},
            {% endfor %}
            {{ single.statistic }} as statistic,
            {{ single.kind }} as statistic_kind,
            case when {{ single.statistic }} is not null then {{ single.df }}::double end as df,
            {{ single.p }} as p,
            {{ single.n_units }} as n_units, n_clusters, n_answers,
            {{ 'split_count' if bias != 'verbosity' else '0' }} as split_count,
            arms.group_id,
            arms.block_arm_count = 1 as is_free_alone,
            arms.why_descriptive,
            {{ single.reason }} as reason
        from {{ single.model }}
        inner join arms using (experiment, dataset_id, judge_id, variant_id, outcome)
    ),
{% endfor %}

ways as (
    {% for bias in ['position', 'label', 'order', 'stance', 'verbosity'] %}
        select
            case
                when why_descriptive is not null then 'description'
                when is_free_alone and pooled.is_heterogeneous then 'test'
                else 'arm'
            end as role,
            ways.* exclude (why_descriptive, group_id, is_free_alone),
            why_descriptive is null as is_neutralised,
            coalesce(
                'descriptive: ' || why_descriptive, 'tested together with all such ways of asking'
            ) as untested_reason
        from {{ bias }}_arms as ways
        left join {{ ref('int_bias_pooled') }} as pooled
            on ways.group_id = pooled.group_id and pooled.bias = '{{ bias }}'
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

-- The people's winner is in the joint model to be held fixed: it is no bias, and not tested as one.
joint_tests as (
    select
        case when term = 'human winner con' then 'description' else 'test' end as role,
        experiment, dataset_id, judge_id, template, term as bias, 'joint model' as contrast,
        marginal_effect as effect,
        marginal_effect_low as effect_low,
        marginal_effect_high as effect_high,
        share_change, share_change_low, share_change_high,
        statistic,
        't' as statistic_kind,
        df,
        p, n_clusters as n_units, n_clusters, n_answers, split_count, incomplete_count,
        true as is_neutralised,
        'no bias, but agreement with people' as untested_reason,
        reason
    from {{ ref('rpt_bias_joint') }}
),

gathered as (
    select 'contrasts' as family, * from pooled
    union all by name
    select 'contrasts' as family, * from ways
    union all by name
    select 'joint model' as family, * from joint_tests
),

families as (
    select
        *,
        case bias when 'side' then 'Pro' else 'Con' end as named_side,
        case bias when 'side' then 'motions' else 'debates' end as unit_name,
        case
            when
                bias = 'position' and contrast = 'con second - con first'
                then 'when Con is named second'
            when bias = 'position'
                then 'when Con is always named second than when the order is drawn'
            when bias = 'label' and variant_a is null
                then 'when Con has the second label of its set than when it has the first'
            when bias = 'label'
                then printf(
                    'when Con has the label %s than when it has %s',
                    split_part(split_part(contrast, ' - ', 1), '/', 2), split_part(contrast, '/', 1)
                )
            when bias = 'order'
                then 'when Con closes the debate, among debates people decided alike'
            when bias = 'stance' and variant_a is null
                then 'than people name it, with both positions, labels and closing sides alike'
            when bias = 'stance' then 'than people name it'
            when bias = 'verbosity'
                then 'than by people for 10 % more of its words over Pro''s'
            when bias = 'side'
                then
                    'than half the time on motions argued twice with sides exchanged, the motion, '
                    || 'last word and positions included'
            when bias = 'con second' then 'when Con is named second, all else equal'
            when bias like 'label %'
                then printf(
                    'when Con has the second label of %s, all else equal',
                    replace(bias, 'label ', '')
                )
            when bias = 'con closes' then 'when Con closes the debate, all else equal'
            when bias = 'log2 length ratio'
                then 'for 10 % more of its words over Pro''s, all else equal'
            when bias = 'human winner con' then 'when people let Con win, all else equal'
            else 'with ' || bias || ', all else equal'
        end as clause,
        experiment || ' / ' || dataset_id || ' / ' || judge_id
        || case family when 'joint model' then ' / joint model' else '' end as family_id,
        case when role = 'test' then p end as family_p
    from gathered
),

adjusted as (
    {{ benjamini_hochberg('families', 'family_id', 'family_p') }}
),

reasoned as (
    select
        * exclude (reason),
        p_adjusted < 0.05 as is_significant,
        case
            when p is not null and role != 'test' then untested_reason
            when p is null or share_change_low is null then reason
        end as reason
    from adjusted
)

select
    * exclude (split_count, untested_reason, named_side, unit_name, clause, family_p),
    coalesce(split_count, 0)::bigint as split_count,
    {{ finding(
        'clause', 'share_change', 'is_significant', 'n_units', 'reason', 'named_side', 'unit_name'
    ) }}
    || case
        when is_heterogeneous
            then
                printf('; its %d ways of asking disagree', arm_count)
                || coalesce(printf(' (heterogeneity p = %.2g)', heterogeneity_p), '')
        else ''
    end as finding
from reasoned
