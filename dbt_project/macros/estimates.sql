{#
The estimates of a wide mart, one row each: what `fct_estimate` and everything generic reads. A mart
keeps computing; this only turns its columns, so that a figure is the same in both places.

`measures` names the columns that are estimates. What belongs to a column follows from the names of
the mart's other columns, as everywhere; what the mart does not have is null:

- `<column>_low`, `<column>_high`: the interval.
- `<column>_reason`, else the mart's own reason: why it is null.
- `n_units`, `n_answers` or `n_items`, `failed_count` and its like: counts of the row.
- `<column>_released`, `<column>_paper`: the same measure by another convention, which `setting` names.
  Their counts may carry the suffix, too.

A measure is called as its column is; as the mart and the column where `own` says that other marts mean
something else by the name; and as the rows say where `by` names a column that tells measures apart. A
measure that departs from this is a dictionary: `column`, and any of `as` (its name), `own`, `by`,
`prefix` and `suffix` (around what `by` says), `low`, `high`, `bounds` (suffixes of the two columns that
say what it were if all failures went one way), `reason`, `n`, `n_units`, `p`, `p_adjusted`,
`convention` (one that the column's name does not say), `when` (rows that have the measure) and
`otherwise` (the reason where the mart has none).

Arguments: `setting` and `population` are the columns of the grain beyond data set, experiment and
judge, by whether they say how it was asked or of what; `keys` replaces those three by other columns.
#}
{% macro estimates_of(
    mart, measures, setting=[], population=[], unit='null', keys={}, n=none, n_units=none, failures=none
) %}
{%- set plain_measures = measures | select('string') | list -%}
{%- set declared = plain_measures + measures | reject('string') | map(attribute='column') | list -%}
select
    dataset_id,
    experiment,
    judge_id,
    setting::varchar as setting,
    population::varchar as population,
    measure,
    value,
    low,
    high,
    n,
    n_units,
    unit_kind,
    p,
    p_adjusted,
    failures,
    least(bound_one, bound_other) as bound_low,
    greatest(bound_one, bound_other) as bound_high,
    case when value is null then coalesce(reason, 'undefined on these data') end as reason,
    mart
from (
    select
        {% for key in ['dataset_id', 'experiment', 'judge_id'] %}
            ({{ keys[key] or key }})::varchar as {{ key }},
        {% endfor %}
        {{ json_of(setting, {'convention': 'melted.convention'}) }} as setting,
        {{ json_of(population) }} as population,
        ({{ unit }})::varchar as unit_kind,
        '{{ mart }}' as mart,
        unnest(melted)
    from (
        select
            *,
            unnest([
                {% for measure in measures -%}
                    {%- set it = {'column': measure} if measure is string else measure -%}
                    {{ estimate_of(mart, declared, it, n, n_units, failures) }}
                    {{- ',' if not loop.last }}
                {% endfor %}
            ]) as melted
        from (
            select * from {{ ref(mart) }}
            union all by name
            {{ conventional_columns(declared) }}
        )
    )
)
where is_kept
{% endmacro %}

{# One estimate of a row, as a struct. #}
{% macro estimate_of(mart, declared, it, n, n_units, failures) -%}
    {%- set suffix = suffix_of(it.column, declared) -%}
    {%- set plain = it.column[: -(suffix | length)] if suffix else it.column -%}
    {%- set topic = mart | replace('rpt_', '') -%}
    {%- set name = it.as or plain -%}
    {%- if it.own -%}
        {%- set name = topic if topic.endswith('_' ~ plain) else topic ~ '_' ~ plain -%}
    {%- endif -%}
    {%- set by = "'" ~ (it.prefix or '') ~ "' || " ~ it.by ~ " || '" ~ (it.suffix or '') ~ "'" -%}
    {
        measure: {{ by if it.by else "'" ~ name ~ "'" }},
        convention: nullif('{{ it.convention or suffix[1:] }}', ''),
        value: {{ it.column }}::double,
        low: {{ it.low or it.column ~ '_low' }}::double,
        high: {{ it.high or it.column ~ '_high' }}::double,
        n: ({{ it.n or n or first_of(counts_of_n(), suffix) }})::bigint,
        n_units: ({{ it.n_units or n_units or first_of(counts_of_units(), suffix) }})::bigint,
        p: {{ it.p or 'null' }}::double,
        p_adjusted: {{ it.p_adjusted or 'null' }}::double,
        failures: ({{ failures or first_of(counts_of_failures(), suffix) }})::bigint,
        bound_one: {{ it.column ~ it.bounds[0] if it.bounds else 'null' }}::double,
        bound_other: {{ it.column ~ it.bounds[1] if it.bounds else 'null' }}::double,
        reason: {{ reason_of(it, plain) }},
        is_kept: {{ it.when or 'true' }}
    }
{%- endmacro %}

{#
No row, but every column that a declaration may lean on: a mart has some of them, and the others are
null in the union of both.
#}
{% macro conventional_columns(declared) -%}
    {%- set has_conventions = '_released,' in declared | join(',') ~ ',' -%}
    {%- set numbers = counts_of_n() + counts_of_units() + counts_of_failures() -%}
    select
        null::varchar as dataset_id,
        null::varchar as experiment,
        null::varchar as judge_id,
        {% for reason in reasons() %}null::varchar as {{ reason }}, {% endfor %}
        {% for number in numbers | unique -%}
            null::bigint as {{ number }},
            {%- if has_conventions %} null::bigint as {{ number }}_released,{% endif %}
        {% endfor -%}
        {% for column in declared | unique -%}
            null::double as {{ column }}_low, null::double as {{ column }}_high,
            null::varchar as {{ column }}_reason,
        {% endfor %}
    where false
{%- endmacro %}

{# The columns that count, the first that is known first; that of a convention before its plain one. #}
{% macro counts_of_n() -%}
    {{ return(['n_answers', 'n_items', 'n_questions', 'n_units', 'n_judges']) }}
{%- endmacro %}

{% macro counts_of_units() -%}
    {{ return(['n_units', 'n_questions']) }}
{%- endmacro %}

{% macro counts_of_failures() -%}
    {{ return(['failure_count', 'failed_count', 'missing_count', 'unparsed_count']) }}
{%- endmacro %}

{# Columns that say why a row, or all of it, is null. #}
{% macro reasons() -%}
    {{ return(['undefined_reason', 'null_reason', 'reason']) }}
{%- endmacro %}

{% macro first_of(names, suffix='') -%}
    {%- set found = [] -%}
    {%- for name in names -%}
        {%- if suffix == '_released' -%}{%- do found.append(name ~ suffix) -%}{%- endif -%}
        {%- do found.append(name) -%}
    {%- endfor -%}
    coalesce({{ found | join(', ') }})
{%- endmacro %}

{% macro reason_of(it, plain) -%}
    {%- set known = [it.reason or plain ~ '_reason'] + reasons() -%}
    {%- do known.append("'" ~ it.otherwise ~ "'") if it.otherwise -%}
    coalesce({{ known | join(', ') }})
{%- endmacro %}

{# The suffix of a column that is another declared one by another convention. #}
{% macro suffix_of(column, declared) -%}
    {%- for suffix in ['_paper', '_released'] if column.endswith(suffix) -%}
        {{ suffix if column[: -(suffix | length)] in declared }}
    {%- endfor -%}
{%- endmacro %}

{#
Columns as a JSON object, sorted, without what is null: a column that a mart gets later changes no object
of the rows that lack it.
#}
{% macro json_of(names, extra={}) -%}
    {%- set pairs = [] -%}
    {%- for name in (names + extra.keys() | list) | sort -%}
        {%- do pairs.append(name ~ ': ' ~ extra.get(name, name)) -%}
    {%- endfor -%}
    {{ "json_merge_patch('{}', to_json({" ~ pairs | join(', ') ~ "}))" if pairs else "'{}'::json" }}
{%- endmacro %}
