{# What scores and verdicts have in common: which answer counts, and the outcome of a request. #}

{#
The order in which answers to one question count: an answered one before a request that failed, then
the latest; of two of the same time the one loaded later, so that a corrected file counts; the run id
breaks what ties are left, the same in every rebuild.
#}
{% macro latest_answer_first() -%}
    case when request_status = 'answered' then 0 else 1 end,
    answered_at desc nulls last,
    loaded_at desc,
    run_id desc
{%- endmacro %}

{#
Which answer of those to one question counts, for questions that were asked more than once. To rank
millions of answers would take most of a build, and almost all were asked for once: those are told by
a hash of what was asked, and what shares one is ranked by what was asked itself.
#}
{% macro asked_again(relation, question) -%}
    select
        response_id,
        row_number() over (
            partition by {{ question }} order by {{ latest_answer_first() }}
        ) = 1 as is_first
    from {{ relation }}
    where
        hash({{ question }}) in (
            select hash({{ question }})
            from {{ relation }}
            group by hash({{ question }})
            having count(*) > 1
        )
{%- endmacro %}

{#
What happened to a request, in one word: parsed, supplied, unparsed, refused, filtered, truncated, or
the kind of error there was instead of an answer.
#}
{% macro answer_status() -%}
    case
        when request_status != 'answered' then coalesce(error_kind, 'unknown')
        when parse_status in ('parsed', 'supplied') then parse_status
        when parse_reason in ('refused', 'filtered', 'truncated') then parse_reason
        else {{ unparsed() }}
    end
{%- endmacro %}

{#
What tells two ways of asking apart, as a key. A factor that is unknown or does not apply has no part
in it, so a template of scores has one variant.
#}
{% macro variant_id(
    template, verbalizer='null', position='null', outcome='null', reasoning='null',
    answer_order='null'
) -%}
    left(md5(to_json([
        {{ template }}, {{ verbalizer }}, {{ position }}, {{ outcome }},
        {{ reasoning }}::varchar, {{ answer_order }}
    ])::varchar), 16)
{%- endmacro %}

{#
The labels of a verdict's two sides, Pro's first: as the experiment chose them ('random A/B' where
each debate drew which side has which), else as they were.
#}
{% macro verbalizer() -%}
    coalesce(verbalizer, pro_label || '/' || con_label)
{%- endmacro %}

{#
Which side the instruction names first, as the experiment chose it: pro_first, con_first, or shuffled
where each debate drew it; else as it was.
#}
{% macro position() -%}
    coalesce(position, first_side || '_first')
{%- endmacro %}

{# A field of the JSON kept in `extra`; null where the text was cut, and is no JSON any more. #}
{% macro extra_field(name) -%}
    case when json_valid(extra) then json_extract_string(extra, '$.{{ name }}') end
{%- endmacro %}

{# What raw says of every answer alike, whatever was asked: who was asked what, in which run. #}
{% macro request_columns() -%}
    run_id || '#' || request_id as response_id,
    run_id,
    request_id,
    experiment,
    judge_id,
    settings_hash,
    dataset_id,
    item_hash,
    template,
    wording,
    prompt_hash,
    sample::bigint as sample
{%- endmacro %}

{# And what came of the request, at what cost, from which file. #}
{% macro reply_columns() -%}
    response,
    request_status,
    error_kind,
    finish_reason,
    attempts::bigint as attempts,
    tokens_in,
    tokens_cached,
    tokens_out,
    latency_s,
    cost_usd,
    answered_at,
    _source_file as source_file,
    source_record,
    extra,
    _loaded_at as loaded_at
{%- endmacro %}

{# Whether a template of scores asks for reasons before the score (Figure 9 of the speech paper). #}
{% macro asks_for_reasons(template) -%}
    {{ template }} like '%\_justified%' escape '\'
{%- endmacro %}
