{#
What each cluster of debates adds up to, without the cluster's key: sums over its units. A cluster of one
debate is that debate as it is: most are, and grouping millions of them takes longer than all that follows.

    relation: the units, a row each for the same keys, with `cluster_key`; of motions it is another key than
        of debates, and one that has a shared cluster's number is grouped by itself, which changes nothing
    keys: what is told apart besides clusters
    sums: the columns to add up, each with what is made of its sum, which stands in it as {}
#}
{% macro cluster_sums(relation, keys, sums) -%}
    {%- set shared -%}
        (
            select cluster_key from {{ ref('int_debates_judged') }}
            group by cluster_key
            having count(*) > 1
        )
    {%- endset -%}
    select
        {{ keys | join(', ') }}
        {%- for name, shape in sums.items() %},
        {{ shape.format('sum(' ~ name ~ ')') }} as {{ name }}
        {%- endfor %}
    from {{ relation }}
    where cluster_key in {{ shared }}
    group by {{ keys | join(', ') }}, cluster_key
    union all
    select
        {{ keys | join(', ') }}
        {%- for name, shape in sums.items() %},
        {{ shape.format(name) }} as {{ name }}
        {%- endfor %}
    from {{ relation }}
    where cluster_key not in {{ shared }}
{%- endmacro %}
