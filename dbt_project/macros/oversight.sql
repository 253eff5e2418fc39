{# What the models of debate as oversight share. #}

{# The judge's own model against itself is one debater; another opponent makes two, in a fixed order. #}
{% macro debater_of(relation) -%}
    case
        when {{ relation }}.protocol = 'consultancy'
            or coalesce({{ relation }}.opponent_id, 'self') in ('self', {{ relation }}.judge_id)
            then {{ relation }}.judge_id
        else least({{ relation }}.judge_id, {{ relation }}.opponent_id) || ' and '
            || greatest({{ relation }}.judge_id, {{ relation }}.opponent_id)
    end
{%- endmacro %}

{# Who argues for an answer in a debate of models. #}
{% macro debater_seated(relation, answer) -%}
    case
        when {{ relation }}.argued_answer = {{ answer }}
            or {{ relation }}.opponent_id in ('self', {{ relation }}.judge_id)
            then {{ relation }}.judge_id
        else {{ relation }}.opponent_id
    end
{%- endmacro %}

{# How debaters were asked, in words; what is told apart here is never pooled. #}
{% macro debate_setting(relation) -%}
    concat_ws(
        ', ',
        {{ relation }}.template,
        {{ relation }}.turn_order,
        {{ relation }}.round_count || ' rounds',
        {{ relation }}.word_limit || ' words',
        case when {{ relation }}.best_of > 1 then 'best of ' || {{ relation }}.best_of end,
        case when {{ relation }}.best_of > 1 then 'chosen by ' || {{ relation }}.preference_judge_id end,
        case when {{ relation }}.refine_count > 0 then 'refined ' || {{ relation }}.refine_count end,
        'asked by ' || {{ relation }}.asker_id
    )
{%- endmacro %}
