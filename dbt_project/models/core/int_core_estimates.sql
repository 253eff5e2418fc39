{# What every subject has: how runs fared, and the places of judges. #}
{{ estimates_of(
    'rpt_run_health', setting=['run_id', 'template'], unit="'request'",
    n='request_count - no_reference_count', n_units='request_count - no_reference_count', failures='failure_count',
    measures=[
        {'column': 'failure_share', 'own': true},
        {'column': 'unparsed_share', 'own': true, 'n': 'answered_count', 'n_units': 'answered_count'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_judge_ranks', population=['dimension'],
    setting=[
        'measure', 'template', 'variant_id', 'evaluator_id', 'evaluator_template', 'min_shared_items',
    ],
    measures=[
        {'column': 'rank_low', 'as': 'best_place'}, {'column': 'rank_high', 'as': 'worst_place'},
    ],
) }}
