{#
The alternative annotator test (Calderon, Reichart and Dror, ACL 2025): may a candidate stand in for one of
the people? On each instance candidate and person are scored against the other people, and d is the
person's win less the candidate's, where a tie is a win of both: 1 where the candidate is worse, 0 where
they tie, -1 where the candidate is better.
#}

{#
d of scores: the sign of the candidate's root mean square error less the person's, over the others. All
values are taken from the mean of the instance's n people, and squares is the sum of theirs, so no value is
compared with each other one: with u the candidate's and v the person's deviation the errors' squares differ
by (u - v) ((n - 1) u + (n + 1) v) / (n - 1). Nine decimals, so that ties are ties however they were summed.
#}
{% macro d_of_scores(n, u, v, squares) -%}
    coalesce(sign(round(
        ({{ u }} - {{ v }}) * (({{ n }} - 1) * {{ u }} + ({{ n }} + 1) * {{ v }}) / ({{ n }} - 1)
        / nullif(
            sqrt(greatest(0, {{ squares }} + {{ n }} * {{ u }} ^ 2 - ({{ v }} - {{ u }}) ^ 2) / ({{ n }} - 1))
            + sqrt(greatest(0, {{ squares }} + {{ n }} * {{ v }} ^ 2) / ({{ n }} - 1)),
            0
        ),
        9
    )), 0)
{%- endmacro %}

{#
p of the one-sided t-test that a mean is below a margin. Where nothing varies it is 0 if the mean is, else 1.

Args:
    variance: of the mean, exactly 0 where nothing varies.
#}
{% macro p_below(mean, margin, variance, df) -%}
    case
        when {{ variance }} = 0 then case when {{ mean }} < {{ margin }} then 0.0 else 1.0 end
        when {{ mean }} < {{ margin }}
            then student_t_two_sided(({{ mean }} - {{ margin }}) / sqrt({{ variance }}), ({{ df }})::double) / 2
        else 1 - student_t_two_sided(({{ mean }} - {{ margin }}) / sqrt({{ variance }}), ({{ df }})::double) / 2
    end
{%- endmacro %}

{#
Variance of a mean over clusters (ratio estimator, linearised) from sums of whole numbers over them, which are
exact: total and n, and over clusters the squares of totals, of counts, and the products of both.
#}
{% macro clustered_variance_of_sums(total, n, squares, products, count_squares, n_clusters) -%}
    {{ n_clusters }} / nullif({{ n_clusters }} - 1.0, 0)
    * ({{ n }} * {{ n }} * {{ squares }} - 2 * {{ n }} * {{ total }} * {{ products }}
        + {{ total }} * {{ total }} * {{ count_squares }})
    / ({{ n }}::double ^ 4)
{%- endmacro %}

{# The margins by which a person may be better: 0.1 for crowds, 0.15 for the skilled, 0.2 for experts. #}
{% macro replacement_margins() -%}
    {{ return([0.1, 0.15, 0.2]) }}
{%- endmacro %}
