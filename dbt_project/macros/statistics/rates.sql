{# What judges and people answer about a frame of items, as numbers. #}

{# Con's share of what a label of a debate says; null where there is none. #}
{% macro con_share_of(label) -%}
    case {{ label }} when 'con' then 1.0 when 'tie' then 0.5 when 'pro' then 0.0 end
{%- endmacro %}

{# Who debates in a log, whichever side each argues for; rates are about the one named first. #}
{% macro pair_of_debaters() -%}
    least(pro_debater, con_debater) || ' against ' || greatest(pro_debater, con_debater)
{%- endmacro %}

{# One end of the interval of the judge's own mean: Wilson's for a share, by t within the scale for a score. #}
{% macro naive_end(sign) -%}
    case task
        when 'debates'
            then {{ clustered_share_bound('mean_answer', 'naive_width', 'n_clusters_judged', sign) }}
        else {{ clip('mean_answer + ' ~ sign ~ ' * naive_width', 'scale_min', 'scale_max') }}
    end
{%- endmacro %}
