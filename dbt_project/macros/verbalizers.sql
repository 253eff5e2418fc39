{#
A verbalizer names the labels of the two sides, Pro's first. A label set is the two labels whichever
side has which; it is written in the order the paper's tables have it, else sorted.
#}

{# The paper's label sets, in its order (Tables 6 and 8, and Figure 8). #}
{% macro known_label_sets() %}['A/B', 'P/C', '1/-1', 'Pro/Con', 'M/N']{% endmacro %}

{# The same labels with the sides swapped: B/A for A/B. #}
{% macro flipped_labels(labels) -%}
    split_part({{ labels }}, '/', 2) || '/' || split_part({{ labels }}, '/', 1)
{%- endmacro %}

{# The labels alone, without what says that each debate drew which side has which. #}
{% macro labels_of(verbalizer) -%}
    regexp_replace({{ verbalizer }}, '^random ', '')
{%- endmacro %}

{# Whether labels stand in their set's own order. #}
{% macro is_set_order(labels) -%}
    case
        when list_contains({{ known_label_sets() }}, {{ labels }}) then true
        when list_contains({{ known_label_sets() }}, {{ flipped_labels(labels) }}) then false
        else split_part({{ labels }}, '/', 1) <= split_part({{ labels }}, '/', 2)
    end
{%- endmacro %}
