{#
The test of each candidate against each person, at three margins: clustered by text (the headline), plain as in
the paper, and clustered with every missing answer lost. Only people with enough instances take part. Of one
text alone nothing can be said by text.
#}
{% set least = var('min_items_per_annotator') %}
with

summed as (
    select
        candidate_key,
        annotator_key,
        sum(n_answered) as n,
        count(*) filter (where n_answered > 0) as n_texts,
        sum(d_sum) as d_sum,
        sum(d_squares) as d_squares,
        sum(wins) as wins,
        sum(n_missing) as n_missing,
        sum(d_sum * d_sum) as text_squares,
        sum(d_sum * n_answered) as text_products,
        sum(n_answered * n_answered) as text_counts,
        count(*) as n_texts_all,
        sum((d_sum + n_missing) * (d_sum + n_missing)) as text_squares_all,
        sum((d_sum + n_missing) * (n_answered + n_missing)) as text_products_all,
        sum((n_answered + n_missing) * (n_answered + n_missing)) as text_counts_all
    from {{ ref('int_replacement_texts') }}
    group by candidate_key, annotator_key
),

tested as (
    select
        candidate_key,
        annotator_key,
        unnest([
            {
                method: 'by_text', n: n, n_texts: n_texts, total: d_sum, wins: wins,
                missing: n_missing, df: n_texts - 1,
                variance: {{ clustered_variance_of_sums(
                    'd_sum', 'n', 'text_squares', 'text_products', 'text_counts', 'n_texts'
                ) }}
            },
            {
                method: 'paper', n: n, n_texts: n_texts, total: d_sum, wins: wins,
                missing: n_missing, df: n - 1,
                variance: (n * d_squares - d_sum * d_sum) / (n::double * n * nullif(n - 1, 0))
            },
            {
                method: 'failures_lost', n: n + n_missing, n_texts: n_texts_all,
                total: d_sum + n_missing, wins: wins, missing: n_missing, df: n_texts_all - 1,
                variance: {{ clustered_variance_of_sums(
                    '(d_sum + n_missing)', '(n + n_missing)', 'text_squares_all',
                    'text_products_all', 'text_counts_all', 'n_texts_all'
                ) }}
            }
        ], recursive := true)
    from summed
),

margins as (select unnest({{ replacement_margins() }})::double as epsilon),

at_margins as (
    select
        candidate_key,
        annotator_key,
        method,
        margins.epsilon,
        n::bigint as n,
        n_texts::bigint as n_texts,
        wins::bigint as wins,
        missing::bigint as missing,
        total / n::double as mean_d,
        sqrt(variance) as error,
        {{ p_below('(total / n::double)', 'margins.epsilon', 'variance', 'df') }} as p
    from tested
    cross join margins
    where n >= {{ least }} and variance is not null
),

adjusted as (
    {{ benjamini_yekutieli('at_margins', 'candidate_key, method, epsilon') }}
)

select *, p_adjusted <= 0.05 as is_rejected from adjusted
