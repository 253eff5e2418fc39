{#
Rows of a relation with `p_adjusted`: Benjamini and Hochberg's adjustment (1995). Within a family of m
known p-values, each is multiplied by m over its rank, and then takes the least of these products at its
own rank or above. Equal p-values share the largest of their ranks. An unknown p has no part in the family.

Args:
    relation: the rows, with the column p unless another is named.
    family: the columns that name the family, as `partition by` takes them.
    p: the p-value.
    factor: what every product is multiplied by.
#}
{% macro benjamini_hochberg(relation, family, p='p', factor='1') -%}
    {# Two steps, since a window cannot hold another. #}
    select
        * exclude (p_product),
        case
            when {{ p }} is not null
                then least(
                    1.0,
                    min(p_product) over (partition by {{ family }} order by {{ p }} desc nulls last)
                )
        end as p_adjusted
    from (
        select
            *,
            {{ p }} * count({{ p }}) over (partition by {{ family }})
            / nullif(count({{ p }}) over (partition by {{ family }} order by {{ p }} nulls last), 0)
            * {{ factor }} as p_product
        from {{ relation }}
    )
{%- endmacro %}

{#
The same by Benjamini and Yekutieli (2001), which holds whatever the dependence of the p-values: times
1 + 1/2 + … + 1/m.
#}
{% macro benjamini_yekutieli(relation, family, p='p') -%}
    {{ benjamini_hochberg(
        relation, family, p,
        'list_sum([1.0 / place for place in range(1, 1 + count(' ~ p ~ ') over (partition by ' ~ family
        ~ '))])'
    ) }}
{%- endmacro %}
