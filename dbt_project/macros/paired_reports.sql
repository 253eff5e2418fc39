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
        when {{ counted }}_clusters < {{ var('min_units_for_interval') }}
            then 'fewer than {{ var("min_units_for_interval") }} clusters'
        when not {{ counted }}_is_varied then 'every cluster differs alike'
    end
{%- endmacro %}
