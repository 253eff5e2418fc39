{# What a row of the battery says, in a sentence. #}

{# A share difference in percentage points, with its sign. #}
{% macro points(share) -%}
    printf('%+.1f', 100 * {{ share }})
{%- endmacro %}

{#
The sentence. A test that is not significant never says that there is no bias: it says that this many
units cannot tell.

Args:
    clause: when or than what the side is named more often, for example 'when Con is named second'.
    side: the side whose share the effect is a difference of; units: what was counted.
    effect: the share difference, with {{ effect }}_low and {{ effect }}_high.
    is_significant: unknown where nothing was tested, and `reason` says why.
#}
{% macro finding(clause, effect, is_significant, n_units, reason, side="'Con'", units="'debates'") -%}
    {%- set size -%}
        {{ points(effect) }} || ' points'
        || coalesce(
            ' (95 % interval ' || {{ points(effect ~ '_low') }} || ' to '
            || {{ points(effect ~ '_high') }} || ')',
            ' (no interval)'
        )
    {%- endset -%}
    case
        when {{ effect }} is null then 'Not known: ' || coalesce({{ reason }}, 'no estimate')
        when {{ is_significant }} is null
            then 'Not tested (' || coalesce({{ reason }}, 'no p')
                || '). How much more often ' || {{ side }} || ' is named ' || {{ clause }} || ': '
                || {{ size }}
        when {{ is_significant }}
            then 'Names ' || {{ side }} || case when {{ effect }} < 0 then ' less' else ' more' end
                || ' often ' || {{ clause }} || ': ' || {{ size }}
        else
            'Cannot tell at ' || {{ n_units }} || ' ' || {{ units }} || ' whether ' || {{ side }}
            || ' is named more or less often ' || {{ clause }} || ': ' || {{ size }}
    end
{%- endmacro %}
