{#
The columns that the marts of a paired comparison share, from int_verdict_contrasts_counted.

Args:
    outcome: 'con' (predicted Con) or 'right' (named the winner people chose).
#}

{# McNemar's test on debates in its three forms, and by cluster as it is quoted. #}
{% macro mcnemar_columns(outcome) -%}
    {%- set b = 'counted.' ~ outcome ~ '_only_a' -%}
    {%- set c = 'counted.' ~ outcome ~ '_only_b' -%}
    {{ mcnemar(b, c) }} as mcnemar,
    {{ mcnemar_p(b, c) }} as p_mcnemar,
    {{ mcnemar_corrected(b, c) }} as mcnemar_corrected,
    {{ mcnemar_corrected_p(b, c) }} as p_corrected,
    {{ mcnemar_exact_p(b, c) }} as p_exact,
    {{ quoted_columns(outcome) }}
{%- endmacro %}

{# The statistic by cluster and the one p that is quoted. #}
{% macro quoted_columns(outcome) -%}
    {%- set counted = 'counted.' ~ outcome -%}
    {{ mcnemar_of_clusters(
        counted ~ '_only_a', counted ~ '_only_b', counted ~ '_discordance_squares'
    ) }} as mcnemar_of_clusters,
    {{ quoted_p_of_clusters(
        counted ~ '_only_a', counted ~ '_only_b', counted ~ '_clusters_a', counted ~ '_clusters_b',
        counted ~ '_discordance_squares'
    ) }} as p,
    {{ quoted_p_kind_of_clusters(
        counted ~ '_clusters_a', counted ~ '_clusters_b', counted ~ '_units', counted ~ '_clusters'
    ) }} as p_kind
{%- endmacro %}

{# A paired difference of shares with its interval, held within -1 and 1. #}
{% macro difference_columns(outcome, name='difference') -%}
    {%- set counted = 'counted.' ~ outcome -%}
    {{ counted }}_share_a - {{ counted }}_share_b as {{ name }},
    {{ clip(
        counted ~ '_share_a - ' ~ counted ~ '_share_b - ' ~ counted ~ '_half_width', '-1.0', '1.0'
    ) }} as {{ name }}_low,
    {{ clip(
        counted ~ '_share_a - ' ~ counted ~ '_share_b + ' ~ counted ~ '_half_width', '-1.0', '1.0'
    ) }} as {{ name }}_high
{%- endmacro %}

{# Why a paired test or its interval is unknown; null where both are known. #}
{% macro paired_reason(outcome) -%}
    {%- set counted = 'counted.' ~ outcome -%}
    case
        when coalesce({{ counted }}_units, 0) = 0
            then {% if outcome == 'con' %}'no debate in both'
            {%- else %}'no debate in both has a human winner'{% endif %}
        when {{ counted }}_only_a + {{ counted }}_only_b = 0 then 'no discordant pairs'
        when {{ counted }}_clusters_a + {{ counted }}_clusters_b = 0
            then 'no discordant clusters'
        {{ when_too_few(counted ~ '_clusters', 'clusters') }}
        when not {{ counted }}_is_varied then 'every cluster differs alike'
    end
{%- endmacro %}

{#
A whole report of one kind of contrast in predicted Con: position or label, which are tested alike.

Args:
    kind: of int_verdict_contrasts.
    alike: the factor both settings share and the report names.
#}
{% macro paired_report(kind, alike) -%}
with

contrasts as (select * from {{ ref('int_verdict_contrasts') }} where kind = '{{ kind }}'),

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
        one.{{ alike }},
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
{%- endmacro %}
