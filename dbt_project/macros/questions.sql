{# What the models of debatable questions share. #}

{#
A key of the given columns, null where one is null only in the part of that column: to_json tells
null from the text 'null'.
#}
{% macro key_of(columns) -%}
    left(md5(to_json([{% for column in columns %}{{ column }}::varchar{{ ', ' if not loop.last }}{% endfor %}])::varchar), 16)
{%- endmacro %}

{#
What is asked alike, whoever answers: everything of an answering setting but the model. The retriever is
part of it; where documents are the data set's own the key is what it was before there were others.
#}
{% macro condition_columns() -%}
    {{ return([
        'dataset_id', 'split', 'template', 'temperature', 'top_p', 'target_tokens',
        "(retrieval || case when retrieval = 'none' or retriever = 'data_set' then '' "
            ~ "else ' ' || coalesce(retriever, 'unknown') end)", 'is_trusted_only'
    ]) }}
{%- endmacro %}

{# 1 where a higher score is better, -1 where a lower one is (perplexities). #}
{% macro better_sign(metric) -%}
    case when {{ metric }} like 'perspective\_diversity%' escape '\' then -1 else 1 end
{%- endmacro %}

{# A place as the paper prints it: 2= where it is shared. #}
{% macro place_label(place, shared_by) -%}
    {{ place }}::varchar || case when {{ shared_by }} > 1 then '=' else '' end
{%- endmacro %}

{#
The mid-rank of a value among those of its group, 1 for the lowest; ties share the mean of their places.
#}
{% macro mid_rank(value, partition, order='asc') -%}
    rank() over (partition by {{ partition }} order by {{ value }} {{ order }})
    + (count(*) over (partition by {{ partition }}, {{ value }}) - 1) / 2.0
{%- endmacro %}

{#
One measure of a 0/1 judgement against people's label, from tp, fn, fp and tn, which may be fractions.

auroc: of a 0/1 score the mean of sensitivity and specificity, which is balanced accuracy; null where
people know one label only. gain: accuracy less that of always answering 1. The rest as in
confusion_measure, with 1 for Pro.
#}
{% macro dispute_measure(measure, cells) -%}
    {%- set tp, fn, fp, tn = cells -%}
    {%- if measure == 'f1' -%} {{ confusion_measure('f1_pro', cells) }}
    {%- elif measure == 'auroc' -%}
        ({{ tp }} / nullif({{ tp }} + {{ fn }}, 0) + {{ tn }} / nullif({{ fp }} + {{ tn }}, 0)) / 2
    {%- elif measure == 'gain' -%}
        ({{ tp }} + {{ tn }} - greatest({{ tp }} + {{ fn }}, {{ fp }} + {{ tn }}))
        / nullif({{ cells | join(' + ') }}, 0)
    {%- else -%} {{ confusion_measure(measure, cells) }}
    {%- endif -%}
{%- endmacro %}

{# What may have become of the documents of an answer; int_answers_current explains them. #}
{% macro retrieval_statuses() -%}
    {{ return([
        'shown', 'no_documents', 'no_trusted_documents', 'nothing_found', 'not_recorded',
        'other_questions'
    ]) }}
{%- endmacro %}
