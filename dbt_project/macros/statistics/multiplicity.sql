{#
Benjamini and Hochberg's adjustment (1995), in the two steps that SQL needs: a window cannot hold
another. Within a family of m known p-values, each is multiplied by m over its rank, and then takes the
least of these products at its own rank or above. Equal p-values share the largest of their ranks.
An unknown p has no part in the family.

Args:
    p: the p-value; family: the columns that name the family, as `partition by` takes them.
#}
{% macro benjamini_hochberg_product(p, family) -%}
    {{ p }} * count({{ p }}) over (partition by {{ family }})
    / nullif(count({{ p }}) over (partition by {{ family }} order by {{ p }} nulls last), 0)
{%- endmacro %}

{# The second step: `product` is the first one's result. #}
{% macro benjamini_hochberg(product, p, family) -%}
    case
        when {{ p }} is not null
            then least(
                1.0,
                min({{ product }}) over (partition by {{ family }} order by {{ p }} desc nulls last)
            )
    end
{%- endmacro %}

{#
Benjamini and Yekutieli's adjustment (2001), which holds whatever the dependence of the p-values: Benjamini
and Hochberg's times 1 + 1/2 + … + 1/m. This is its first step; `benjamini_hochberg` is the second.
#}
{% macro benjamini_yekutieli_product(p, family) -%}
    {{ benjamini_hochberg_product(p, family) }}
    * list_sum([1.0 / place for place in range(1, 1 + count({{ p }}) over (partition by {{ family }}))])
{%- endmacro %}
