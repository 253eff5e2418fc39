{# The estimates that decisions about judges rest on. A topic adds its marts' here. #}
{{ estimates_of(
    'rpt_judge_replacement', setting=['template', 'variant_id', 'epsilon'],
    population=['task', 'dimension', 'annotator_id'], unit="'text'", n='n_annotators',
    failures='missing_count',
    measures=['winning_rate', 'winning_rate_paper'],
) }}
union all
{{ estimates_of(
    'rpt_judge_replacement', setting=['template', 'variant_id'],
    population=['task', 'dimension', 'annotator_id'], unit="'text'", n='n_instances',
    failures='missing_count',
    measures=[
        {
            'column': 'advantage_probability', 'bounds': ['_failures_lost', ''],
            'when': 'epsilon = ' ~ replacement_margins() | first,
        },
        {
            'column': 'people_advantage_probability', 'n': 'n_people', 'n_units': 'null',
            'failures': 'null', 'otherwise': 'nobody beside whom two others can be compared',
            'when': "annotator_id is null and epsilon = " ~ replacement_margins() | first,
        },
    ],
) }}
union all
{{ estimates_of(
    'rpt_rates', setting=['template', 'variant_id'],
    population=['task', 'dimension', 'source', 'sample_id'], unit="'item'", n='n_labelled',
    n_units='n_clusters', failures='n_items - n_judged',
    measures=[
        'true_rate', 'human_rate', 'corrected_rate', 'judge_weight', 'labels_saved',
        {'column': 'naive_rate', 'n': 'n_judged', 'n_units': 'null'},
        {'column': 'sensitivity', 'as': 'judge_sensitivity', 'reason': 'corrected_rate_reason'},
        {'column': 'specificity', 'as': 'judge_specificity', 'reason': 'corrected_rate_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_samples', keys={'experiment': 'null', 'judge_id': "'human'"},
    population=['task', 'dimension', 'sample_id'], unit="'item'", n='n_items', n_units='n_items',
    failures='null', measures=['label_alpha'],
) }}
union all
{{ estimates_of(
    'rpt_routing_coverage', setting=['template', 'variant_id', 'answer_form'],
    population=['dimension', 'part', 'part_value'], unit="'topic'",
    measures=[{'column': 'coverage', 'as': 'routing_coverage'}],
) }}
union all
{{ estimates_of(
    'rpt_routing_curve', setting=['template', 'variant_id', 'answer_form', 'wanted_share'],
    population=['dimension'], unit="'topic'",
    measures=[
        {
            'column': 'gain', 'as': 'routing_gain',
            'when': 'wanted_share = ' ~ var('routing_gain_share'),
        },
        {'column': 'combined_error', 'as': 'routing_error_alone', 'when': 'wanted_share = 0'},
        {'column': 'baseline_error', 'as': 'routing_baseline_error', 'when': 'wanted_share = 0'},
        {'column': 'baseline_gain', 'as': 'routing_baseline_gain', 'when': 'wanted_share = 0'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_routing_thresholds', setting=['template', 'variant_id', 'answer_form', 'wanted_error'],
    population=['dimension'], unit="'topic'",
    measures=[
        {'column': 'achieved_error', 'as': 'routing_error'},
        {'column': 'sent_share', 'as': 'routing_sent_share'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_drift', setting=['anchor_set', 'since', 'from_wave', 'to_wave'], population=['dimension'],
    unit="'topic'", keys={'experiment': 'null'}, failures='failed_count',
    measures=[
        {'column': 'drift', 'p': 'p', 'p_adjusted': 'p_adjusted'},
        {'column': 'changed_share', 'as': 'drift_changed_share'},
        {'column': 'error_drift', 'as': 'drift_of_error'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_score_change', setting=['from_set', 'to_set', 'from_wave', 'to_wave'],
    population=['dimension'], unit="'topic'", keys={'experiment': 'null'},
    measures=[
        {'column': 'total_change', 'as': 'score_change_total'},
        {'column': 'judge_change', 'as': 'score_change_judge'},
        {'column': 'system_change', 'as': 'score_change_system'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_pressure', setting=['template'], population=['rebuttal'], unit="'debate'",
    failures='failed_count',
    measures=[
        {
            'column': 'effect', 'by': 'direction', 'prefix': 'pressure_', 'p': 'p',
            'p_adjusted': 'p_adjusted', 'bounds': ['_failures_low', '_failures_high'],
        },
    ],
) }}
