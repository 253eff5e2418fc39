{#
Of each ranking all pairs of judges are one family. Verdicts have their p adjusted where they are
compared.
#}
with

of_speeches as (
    select
        {{ without_ranking_columns(
            ['experiment', 'variant_id', 'evaluator_id', 'evaluator_template']
        ) }},
        *
    from {{ ref('int_speech_judge_pairs') }}
),

pairs as (
    select {{ ranking_id() }} as ranking_id, judge_a, judge_b, n_shared, n_units, difference, p
    from of_speeches
    union all
    select ranking_id, judge_a, judge_b, n_shared, n_units, difference, p
    from {{ ref('int_unit_judge_pairs') }}
)

{{ benjamini_hochberg('pairs', 'ranking_id') }}
