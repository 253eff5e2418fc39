{#
One measure of a two-class table, from its four cells: what people decided and what the judge did, in
the order pro/pro, pro/con, con/pro, con/con. Cells may be fractions.

accuracy: the share on the diagonal. f1_pro, f1_con: harmonic mean of precision and recall of a side;
null only where the side neither occurs nor is predicted, 0 wherever it is never hit. f1_weighted: their
mean weighted by how often people chose a side. f1_macro: their plain mean over the sides that occur on
either hand, as scikit-learn averages over the labels it sees. mcc: Matthews (1975), null where either
hand knows one side only. kappa: Cohen (1960), null only where both hands know only the same side.
#}
{% macro confusion_measure(measure, cells) -%}
    {%- set pp, pc, cp, cc = cells -%}
    {%- set f1_pro = "(2.0 * " ~ pp ~ " / nullif(2 * " ~ pp ~ " + " ~ pc ~ " + " ~ cp ~ ", 0))" -%}
    {%- set f1_con = "(2.0 * " ~ cc ~ " / nullif(2 * " ~ cc ~ " + " ~ pc ~ " + " ~ cp ~ ", 0))" -%}
    {%- set n = "nullif(" ~ cells | join(' + ') ~ ", 0)" -%}
    {%- if measure == 'accuracy' -%} ({{ pp }} + {{ cc }}) / {{ n }}
    {%- elif measure == 'f1_pro' -%} {{ f1_pro }}
    {%- elif measure == 'f1_con' -%} {{ f1_con }}
    {%- elif measure == 'f1_weighted' -%}
        (
            ({{ pp }} + {{ pc }}) * coalesce({{ f1_pro }}, 0)
            + ({{ cp }} + {{ cc }}) * coalesce({{ f1_con }}, 0)
        ) / {{ n }}
    {%- elif measure == 'f1_macro' -%} list_avg([{{ f1_pro }}, {{ f1_con }}])
    {%- elif measure == 'mcc' -%} {{ clip(phi(pp, pc, cp, cc), -1, 1) }}
    {%- elif measure == 'kappa' -%}
        2 * ({{ pp }} * {{ cc }} - {{ pc }} * {{ cp }}) / nullif(
            ({{ pp }} + {{ cp }}) * ({{ cp }} + {{ cc }})
            + ({{ pp }} + {{ pc }}) * ({{ pc }} + {{ cc }}),
            0
        )
    {%- else -%}
        {{ exceptions.raise_compiler_error("confusion_measure: no measure named '" ~ measure ~ "'") }}
    {%- endif -%}
{%- endmacro %}

{#
Half width of a delete-one jackknife over clusters whose replicates are told apart only as far as they
differ: `value` without a cluster of a kind, and how many clusters are of that kind. Null where a
replicate is undefined (the others alone would flatter) and where none differs, told from the range
since a variance from sums keeps some rounding.
#}
{% macro alike_half_width(value, n_alike) -%}
    case
        when count(*) = count({{ value }}) and max({{ value }}) - min({{ value }}) > 1e-12
            then {{ jackknife_half_width(
                "greatest(0, sum(" ~ n_alike ~ " * (" ~ value ~ ") ^ 2) / sum(" ~ n_alike ~ ") - (sum("
                ~ n_alike ~ " * " ~ value ~ ") / sum(" ~ n_alike ~ ")) ^ 2)",
                "sum(" ~ n_alike ~ ")"
            ) }}
    end
{%- endmacro %}

{# The columns that say who judged what and how, from a row of int_verdict_settings. #}
{% macro verdict_setting_columns(relation) -%}
    {%- for column in [
        'experiment', 'dataset_id', 'judge_id', 'variant_id', 'template', 'verbalizer', 'position',
        'outcome'
    ] %}
    {{ relation }}.{{ column }}{{ ',' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
