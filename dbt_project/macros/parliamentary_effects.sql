{# What the models of British Parliamentary debates share that ask whom a judge favours. #}

{# The house of a role; null where the role is. #}
{% macro house_of_role(role) -%}
    case
        when {{ role }} in ('pm', 'dpm') then 'og'
        when {{ role }} in ('lo', 'dlo') then 'oo'
        when {{ role }} in ('mg', 'gw') then 'cg'
        when {{ role }} in ('mo', 'ow') then 'co'
    end
{%- endmacro %}

{# What a task's values say of each place, in one word. #}
{% macro outcome_of_task(task) -%}
    case {{ task }}
        when 'speaker_scores' then 'speaker_score'
        when 'speaker_ranks' then 'speaker_rank'
        when 'house_ranks' then 'house_rank'
    end
{%- endmacro %}

{#
The columns of dim_adjudication_setting in which ways of asking may differ, less the named ones.
#}
{% macro adjudication_factors(without=[]) -%}
    {{ return([
        'judge_id', 'dataset_id', 'template', 'task', 'house_order', 'manual', 'strategy', 'has_motion',
        'has_info_slide'
    ] | reject('in', without) | list) }}
{%- endmacro %}

{#
An effect of rpt_bp_bias in words: where it is above zero, where it is below, and the contrast itself.
#}
{% macro favours() -%}
    {{ return({
        'opening_half': [
            'the opening half over the closing half', 'the closing half over the opening half',
            'opening half - closing half',
        ],
        'government': [
            'government over opposition', 'opposition over government', 'government - opposition',
        ],
        'late_speaker': [
            'those who speak later', 'those who speak earlier', 'per place in speaking order',
        ],
        'longer_speech': ['longer speeches', 'shorter speeches', 'per 100 words'],
        'contentious_government': [
            'government more on contentious motions than on others',
            'government less on contentious motions than on others',
            'government - opposition, contentious motions - others',
        ],
        'named_first': [
            'a house when the prompt names it first rather than last',
            'a house when the prompt names it last rather than first',
            'named first - named last',
        ],
    }) }}
{%- endmacro %}
