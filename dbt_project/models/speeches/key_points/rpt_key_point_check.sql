{#
What an analysis's method is worth on sentences labelled by hand. Sentences under nothing are each by
themselves, as what is found and as what is labelled.
#}
with

measured as (
    select
        method_hash,
        split,
        replicate,
        n_units,
        unnest([
            {
                'measure': 'polarity_accuracy',
                'value': right_count / nullif(sentence_count, 0),
                'n': sentence_count
            },
            {
                'measure': 'polarity_macro_f1', 'value': macro_f1, 'n': sentence_count
            },
            {
                'measure': 'pair_precision',
                'value': both_pairs / nullif(found_pairs, 0),
                'n': found_pairs
            },
            {
                'measure': 'pair_recall',
                'value': both_pairs / nullif(gold_pairs, 0),
                'n': gold_pairs
            },
            {
                'measure': 'pair_f1',
                'value': 2 * both_pairs / nullif(found_pairs + gold_pairs, 0),
                'n': found_pairs + gold_pairs - both_pairs
            },
            {
                'measure': 'adjusted_rand_index',
                'value': (both_pairs - found_pairs * gold_pairs / nullif(all_pairs, 0))
                / nullif(
                    (found_pairs + gold_pairs) / 2
                    - found_pairs * gold_pairs / nullif(all_pairs, 0),
                    0
                ),
                'n': all_pairs
            },
            {
                'measure': 'coverage',
                'value': matched_count / nullif(polar_count, 0),
                'n': polar_count
            },
        ]) as one
    from {{ ref('int_key_point_checks') }}
),

estimates as (
    select
        method_hash,
        split,
        one.measure,
        max(one.value) filter (replicate = 0) as estimate,
        max(one.n) filter (replicate = 0) as n,
        max(n_units) filter (replicate = 0) as n_units,
        {% for name, probability in [('low', 0.025), ('high', 0.975)] %}
            quantile_cont(one.value, {{ probability }}) filter (replicate > 0) as drawn_{{ name }},
        {% endfor %}
    from measured
    group by method_hash, split, one.measure
),

keyed as (
    select
        analyses.analysis_id,
        analyses.method_hash,
        splits.split,
        measures.measure,
        measures.is_share
    from {{ ref('dim_key_point_analysis') }} as analyses
    cross join (values ('test'), ('dev')) as splits (split)
    cross join (
        values
        ('polarity_accuracy', true),
        ('polarity_macro_f1', false),
        ('pair_precision', false),
        ('pair_recall', false),
        ('pair_f1', false),
        ('adjusted_rand_index', false),
        ('coverage', true)
    ) as measures (measure, is_share)
)

select
    keyed.analysis_id,
    keyed.split,
    keyed.measure,
    estimates.estimate,
    {% for name, sign in [('low', -1), ('high', 1)] %}
        case
            when
                estimates.estimate is null or n_units < {{ var('min_units_for_interval') }}
                then null
            when
                keyed.is_share
                then round({{ wilson_bound('estimates.estimate', 'estimates.n', sign) }}, 12)
            else drawn_{{ name }}
        end as estimate_{{ name }},
    {% endfor %}
    coalesce(estimates.n, 0)::bigint as n,
    coalesce(n_units, 0) as n_units,
    case
        when estimates.n_units is null then 'the labelled set was not analysed with this method'
        when estimates.estimate is not null then null
        when keyed.measure = 'pair_precision' then 'no two sentences are under one key point'
        when keyed.measure = 'pair_recall' then 'no two sentences belong together'
        when keyed.measure = 'coverage' then 'no sentence is labelled for or against a speech'
        else 'neither labels nor key points put two sentences together'
    end as undefined_reason
from keyed
left join estimates using (method_hash, split, measure)
