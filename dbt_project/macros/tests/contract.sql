{#
The contract of a published table, checked once it is made. The catalogue (`seeds/columns.csv` and
`seeds/measures.csv`) describes each of its columns, and each row of `columns.csv` that names the table
describes a column that is there. A column has the `type` of its row in `columns.csv`, else the one that
its name has:

| name | type |
|---|---|
| `…_low`, `…_high`, `…_share`, `…_usd`, `…_se`, `p`, `p_…`, `share_…`, `mean_…` | double |
| `n`, `n_…`, `tokens_…`, `…_count`, `…_rank`, `…_order` | bigint |
| `is_…`, `has_…` | boolean |
| `…_at` | timestamp |
| a measure | double |
| any other | varchar |

Keys, counts (`n_…`, `…_count`) and flags (`is_…`, `has_…`) are never null, but for those listed as
`nullable`.
#}
{% macro contract_query(model, key, nullable) %}
{% set topic = model.identifier.removeprefix('rpt_') %}
{% set own_rows %}(select * from {{ ref('columns') }} where mart = '{{ model.identifier }}'){% endset %}
{% set shared_rows %}(select * from {{ ref('columns') }} where mart is null){% endset %}
select row_key, rule
from (
    select
        'type=' || coalesce(type, 'none') as row_key,
        case
            when type is null then column_name || ' of columns.csv is there'
            when not is_described then column_name || ' is described by the catalogue'
            when type != coalesce(listed_type, named_type)
                then column_name || ' is ' || coalesce(listed_type, named_type)
        end as rule
    from (
        select
            coalesce(found.column_name, own.column_name) as column_name,
            found.type,
            coalesce(own.type, shared.type) as listed_type,
            case
                when regexp_matches(found.column_name, '_(low|high|share|usd|se)$') then 'double'
                when regexp_matches(found.column_name, '^(p|share|mean)(_|$)') then 'double'
                when regexp_matches(found.column_name, '^n(_|$)|^tokens_|_(count|rank|order)$')
                    then 'bigint'
                when regexp_matches(found.column_name, '^(is|has)_') then 'boolean'
                when ends_with(found.column_name, '_at') then 'timestamp'
                when found.stem = found.column_name and found.is_measure then 'double'
                else 'varchar'
            end as named_type,
            own.column_name is not null
            or shared.column_name is not null
            or found.is_measure
            or found.stem in (select column_name from {{ own_rows }})
            or found.stem in (select column_name from {{ shared_rows }})
            or found.stem || '_low' in (select column_name from {{ own_rows }})
            or found.stem || '_low' in (select column_name from {{ shared_rows }}) as is_described
        from (
            select
                column_name,
                lower(column_type) as type,
                regexp_replace(column_name, '_(low|high|reason)$', '') as stem,
                -- Where marts use a name for different measures, one is named after its mart.
                stem in (select measure from {{ ref('measures') }})
                or if(ends_with('{{ topic }}', '_' || stem), '{{ topic }}', '{{ topic }}_' || stem)
                in (select measure from {{ ref('measures') }}) as is_measure
            from (describe {{ model }})
        ) as found
        full join {{ own_rows }} as own on found.column_name = own.column_name
        left join {{ shared_rows }} as shared on found.column_name = shared.column_name
    )
    union all
    select 'listed as nullable', listed.column_name || ' is there'
    from (select unnest({{ nullable }}::varchar[]) as column_name) as listed
    anti join (describe {{ model }}) as found using (column_name)
)
where rule is not null
union all
select nulls || ' rows' as row_key, column_name || ' is not null' as rule
from (
    unpivot (
        select
            count(*) - count(columns(lambda column_name:
                (
                    list_contains({{ key }}, column_name)
                    or regexp_matches(column_name, '^(n|is|has)_|_count$')
                )
                and not list_contains({{ nullable }}::varchar[], column_name)
            ))
        from {{ model }}
    )
    on columns(*) into name column_name value nulls
)
where nulls > 0
{% endmacro %}
