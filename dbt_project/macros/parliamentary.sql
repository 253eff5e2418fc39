{# What the models of British Parliamentary debates share. #}

{# The tasks, and what a data set's official results are marked with. #}
{% macro house_ranks() %}'house_ranks'{% endmacro %}
{% macro speaker_scores() %}'speaker_scores'{% endmacro %}
{% macro speaker_ranks() %}'speaker_ranks'{% endmacro %}
{% macro panel() %}'panel'{% endmacro %}

{# What a request is called that asks for all three tasks. #}
{% macro all_tasks() %}'all'{% endmacro %}

{#
The hash of a debate as a judge reads it: of its speeches, each with the motion, and of its info slide.
Ingestion writes the same into what judges read, so that answers to an earlier text are known.
#}
{% macro parliamentary_hash(debate_hash, info_slide) -%}
    left(sha256({{ debate_hash }} || chr(10) || coalesce({{ info_slide }}, '')), 16)
{%- endmacro %}

{#
Every place a task asks about, in speaking order, with its house: rows (task, place, place_index,
house).
#}
{% macro parliamentary_places() -%}
    select * from (values
    {%- for task in ['house_ranks', 'speaker_scores', 'speaker_ranks'] %}
    {%- set outer_last = loop.last %}
    {%- set places = ['og', 'oo', 'cg', 'co'] if task == 'house_ranks'
        else ['pm', 'lo', 'dpm', 'dlo', 'mg', 'mo', 'gw', 'ow'] %}
    {%- for place in places %}
        ('{{ task }}', '{{ place }}', {{ loop.index }}::tinyint, '{{ house_of(place) }}')
        {{- ',' if not (outer_last and loop.last) }}
    {%- endfor %}
    {%- endfor %}
    ) as places (task, place, place_index, house)
{%- endmacro %}

{# The house of a place: its own, or that of the speaker. #}
{% macro house_of(place) -%}
    {{ return({
        'pm': 'og', 'dpm': 'og', 'lo': 'oo', 'dlo': 'oo', 'mg': 'cg', 'gw': 'cg', 'mo': 'co',
        'ow': 'co'
    }.get(place, place)) }}
{%- endmacro %}

{# The columns that say who adjudicated and how, from a row of dim_adjudication_setting. #}
{% macro adjudication_setting_columns(relation) -%}
    {%- for column in [
        'setting_id', 'judge_id', 'dataset_id', 'template', 'task', 'manual', 'house_order',
        'strategy', 'has_motion', 'has_info_slide'
    ] %}
    {{ relation }}.{{ column }}{{ ',' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{# Why a share over debates, or its interval, is null. #}
{% macro share_null_reason(n_units) -%}
    case
        when {{ n_units }} = 0 then {{ nothing_readable() }}
        {{ when_too_few(n_units, 'debates') }}
    end
{%- endmacro %}

{% macro nothing_readable() %}'no debate with an official result and a readable value'{% endmacro %}

{#
A difference from guessing, held within what the measure's own bounds, `lowest` and `highest`,
allow.
#}
{% macro clip_difference(difference, by_chance) -%}
    case
        when {{ difference }} is not null
            then greatest(lowest - {{ by_chance }}, least(highest - {{ by_chance }}, {{ difference }}))
    end
{%- endmacro %}

{# Whether a ballot is part of the panel's result: a tab may leave one out. #}
{% macro is_in_panel() -%}
    coalesce({{ extra_field('is_ignored') }} != 'true', true)
{%- endmacro %}
