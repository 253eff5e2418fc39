{#
Cohen's kappa (1960) of two raters on two categories, (po - pe) / (1 - pe), from the four counts of
their table. Null where both always name the same category.
#}
{% macro cohen_kappa(both_first, only_a_first, only_b_first, both_second) -%}
    2.0 * ({{ both_first }} * {{ both_second }} - {{ only_a_first }} * {{ only_b_first }})
    / nullif(
        ({{ both_first }} + {{ only_a_first }}) * ({{ only_a_first }} + {{ both_second }})
        + ({{ both_first }} + {{ only_b_first }}) * ({{ only_b_first }} + {{ both_second }}), 0
    )
{%- endmacro %}

{#
Fleiss' kappa (1971) of a panel of `judges` on two categories, from the number of units all of them
rated, how often the first category was named, and the ordered pairs of judges that disagree. Null
where all name one category.
#}
{% macro fleiss_kappa(units, first, disagreeing, judges) -%}
    1 - ({{ disagreeing }} / nullif({{ judges }} * ({{ judges }} - 1.0) * {{ units }}, 0))
    / nullif(
        2.0 * {{ first }} * ({{ judges }} * {{ units }} - {{ first }})
        / nullif(({{ judges }} * {{ units }})::double ^ 2, 0), 0
    )
{%- endmacro %}

{#
Krippendorff's alpha for two nominal categories, from the number of values in units with two or more,
how many of them are the first category, and over units the ordered pairs of values that disagree,
each over the unit's number of values less one. Null where all values are one category.

Krippendorff (2011), Computing Krippendorff's alpha-reliability.
#}
{% macro krippendorff_alpha(pairable, first, disagreement) -%}
    1 - {{ disagreement }} * ({{ pairable }} - 1.0)
    / nullif(2.0 * {{ first }} * ({{ pairable }} - {{ first }}), 0)
{%- endmacro %}
