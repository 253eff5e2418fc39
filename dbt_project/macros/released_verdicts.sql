{#
A verdict as the bias paper's released program reads it: the reply's last word without brackets has to be
a label, letter case included. Null where there is no reply in words, or the last word is no label. A
token is never longer than the end that is looked at.
#}
{% macro released_winner() -%}
    case trim(regexp_extract(rtrim({{ released_end() }}), '\S+$'), '() ')
        when case outcome when 'loser' then con_label else pro_label end then 'pro'
        when case outcome when 'loser' then pro_label else con_label end then 'con'
    end
{%- endmacro %}

{# The end of a reply, each white space as one space. #}
{% macro released_end() -%}
    regexp_replace(right(response, 256), '\s', ' ', 'g')
{%- endmacro %}
