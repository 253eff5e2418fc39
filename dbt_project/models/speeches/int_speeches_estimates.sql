{# How judges score speeches beside people, one estimate a row. #}
{{ estimates_of(
    'rpt_rank_agreement', setting=['template'], population=['dimension'], unit="'topic'",
    n='n_answers - unparsed_count - unanswered_count',
    failures='unparsed_count + unanswered_count',
    measures=[
        {'column': 'tau_c', 'bounds': ['_failures_farthest', '_failures_nearest']},
        'tau_c_released', 'tau_b', 'spearman', 'pearson', {'column': 'unparsed_share', 'n': 'n_answers'},
        'tau_c_on_human_items', {'column': 'tau_c_minus_human', 'when': "judge_id != 'human'"},
    ],
) }}
union all
{{ estimates_of(
    'rpt_rater_agreement', setting=['template', 'min_shared_items'], population=['dimension'],
    unit="'annotator'", n='n_answers - unparsed_count - unanswered_count',
    failures='unparsed_count + unanswered_count',
    measures=[
        {'column': 'mean_kappa', 'low': 'kappa_low', 'high': 'kappa_high',
            'bounds': ['_failures_farthest', '_failures_nearest']},
        'mean_kappa_released',
        'median_kappa', {'column': 'kappa_minus_human', 'when': "judge_id != 'human'"},
    ],
) }}
union all
{{ estimates_of(
    'rpt_rater_quality', setting=['annotator_id'], keys={'judge_id': "'human'"},
    population=['dimension'], unit="'topic'", n='n_ratings',
    measures=[
        'mean_rating', 'harshness',
        {'column': 'spread_ratio', 'own': true, 'reason': 'spread_undefined_reason'},
        {'column': 'residual_sd', 'reason': 'agreement_undefined_reason'},
        {'column': 'tau_c', 'own': true, 'reason': 'agreement_undefined_reason'},
        {'column': 'spearman', 'own': true, 'reason': 'agreement_undefined_reason'},
        {'column': 'kappa', 'own': true, 'reason': 'agreement_undefined_reason'},
        'extreme_share', 'modal_share',
    ],
) }}
union all
{{ estimates_of(
    'rpt_source_agreement', setting=['template'], population=['dimension'], unit="'topic'",
    measures=[{'column': 'pearson', 'own': true}, {'column': 'tau_b', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_source_scores', setting=['template'], population=['dimension', 'source'], unit="'topic'",
    measures=[{'column': 'mean_score', 'own': true}, {
        'column': 'minus_human', 'when': "judge_id != 'human'",
        'otherwise': 'nobody rated these speeches',
    }],
) }}
union all
{{ estimates_of(
    'rpt_severity', setting=['template'], population=['dimension', 'scope', 'source'],
    unit="'topic'", failures='n_items_failed',
    measures=[
        'judge_mean', 'human_mean',
        {'column': 'shift', 'bounds': ['_failures_lowest', '_failures_highest']},
        {'column': 'spread_ratio', 'reason': 'spread_reason'}, 'sharpness',
    ],
) }}
union all
{{ estimates_of(
    'rpt_severity_trend', setting=['template', 'measure'], population=['dimension'],
    unit="'judge'", n_units='n_judges', measures=[{'column': 'spearman', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_score_calibration', setting=['template', 'method'], population=['dimension'],
    unit="'topic'",
    measures=[
        'mae', {'column': 'mae_change', 'when': "method != 'none'"},
        'rmse', {'column': 'rmse_change', 'when': "method != 'none'"},
        {'column': 'bias', 'own': true}, {'column': 'bias_change', 'when': "method != 'none'"},
        {'column': 'tau_c', 'own': true},
        {'column': 'tau_c_change', 'when': "method != 'none'", 'reason': 'tau_c_reason'},
        {'column': 'mean_kappa', 'own': true, 'reason': 'kappa_reason'},
        {'column': 'mean_kappa_change', 'when': "method != 'none'", 'reason': 'kappa_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_crowd_agreement', setting=['min_shared_items'], keys={'judge_id': "'human'"},
    population=['dimension'], unit="rtrim(resampled_unit, 's')",
    measures=[
        {'column': 'value', 'by': 'measure', 'prefix': 'crowd_', 'low': 'low', 'high': 'high'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_judge_worth', setting=['template', 'measure', 'failure_rule'], population=['dimension'],
    unit="'topic'", failures='unparsed_count + unanswered_count',
    measures=[
        {'column': 'correlation', 'own': true},
        {'column': 'worth', 'reason': 'worth_status'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_rater_count', setting=['measure', 'n_raters'], keys={'judge_id': "'human'"},
    population=['dimension'], unit="'topic'", measures=[{'column': 'correlation', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_justification_effect', population=['dimension'],
    setting=['template_plain', 'template_justified', 'measure', 'min_shared_items'], unit="rtrim(unit, 's')",
    measures=[
        'plain_value', 'justified_value',
        {'column': 'difference', 'own': true, 'bounds': ['_failures_low', '_failures_high']},
        {'column': 'ratio', 'own': true, 'when': "measure in ('tokens_out', 'cost_usd')",
            'otherwise': 'nothing was used with the plain prompt'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_size_trend', setting=['template', 'measure', 'min_shared_items', 'scope', 'family'],
    population=['dimension'], unit="rtrim(unit, 's')", n='n_judges',
    measures=[
        {'column': 'slope', 'own': true},
        {'column': 'turning_size', 'p': 'p', 'p_adjusted': 'p_adjusted', 'reason': 'turning_reason'},
        {'column': 'gain', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted',
            'reason': 'turning_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_self_preference', setting=['template'], population=['dimension', 'source'],
    unit="'topic'", measures=[
        {'column': 'self_preference', 'bounds': ['_failures_lowest', '_failures_highest']},
        'own_difference', 'other_difference',
    ],
) }}
union all
{{ estimates_of(
    'rpt_speaker_comparison', setting=['template'], population=['dimension', 'source'],
    unit="'topic'",
    measures=[
        {'column': 'mean_score', 'own': true}, 'human_mean_score',
        {'column': 'difference', 'own': true,
            'bounds': ['_failures_lowest', '_failures_highest']},
        'ahead_share',
    ],
) }}
union all
{{ estimates_of(
    'rpt_style_effect', setting=['template', 'feature'], population=['dimension', 'source'],
    unit="'topic'", n='n_speeches',
    measures=[
        {'column': 'difference', 'own': true}, {'column': 'slope', 'own': true},
        {'column': 'difference_adjusted', 'reason': 'adjusted_reason'},
        {'column': 'explained', 'reason': 'adjusted_reason'}, 'overlap_share',
    ],
) }}
union all
{{ estimates_of(
    'rpt_speech_writing', setting=['template', 'word_limit'], unit="'topic'", n='n_requests',
    measures=['speech_share', {'column': 'mean_words', 'own': true, 'reason': 'words_reason'}],
) }}
union all
{{ estimates_of(
    'rpt_ensemble_search', setting=['template', 'search_size', 'search_pooling'],
    population=['dimension'], unit="'topic'",
    measures=[
        'tau_c_in_sample', 'best_member_tau_c_in_sample', 'mean_kappa_in_sample',
        {'column': 'held_out_tau_c', 'reason': 'held_out_reason'},
        {'column': 'held_out_member_tau_c', 'reason': 'held_out_reason', 'when': 'member_count > 1'},
        {'column': 'held_out_judge_tau_c', 'reason': 'held_out_reason'},
        {'column': 'gain_over_member', 'reason': 'held_out_reason', 'when': 'member_count > 1'},
        {'column': 'gain_over_judge', 'reason': 'held_out_reason', 'when': 'member_count > 1'},
        {'column': 'chosen_share', 'reason': 'held_out_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_ensemble_subset', setting=['template', 'search_size', 'search_pooling', 'subset_rank'],
    population=['dimension'], unit="'topic'",
    measures=[{'column': 'tau_c', 'own': true}, {'column': 'mean_kappa', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_justification_polarity', setting=['analysis_id'], population=['source'], unit="'topic'",
    n='n_justifications',
    measures=[
        {'column': 'positive_share', 'own': true},
        {'column': 'mean_score', 'own': true, 'n': 'n_scored_items',
            'reason': 'score_undefined_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_key_point_check', setting=['analysis_id'], population=['split'], unit="'sentence'", n='n',
    measures=[{'column': 'estimate', 'by': 'measure', 'prefix': 'key_point_'}],
) }}
union all
{{ estimates_of(
    'rpt_key_point_coverage', setting=['analysis_id'], unit="'topic'", n='n_justifications',
    measures=[
        {'column': 'matched_share', 'own': true},
        {'column': 'pro_share', 'own': true, 'reason': 'polarity_undefined_reason'},
        {'column': 'con_share', 'own': true, 'reason': 'polarity_undefined_reason'},
        {'column': 'neutral_share', 'own': true, 'reason': 'polarity_undefined_reason'},
        {'column': 'positive_share', 'own': true, 'reason': 'positive_undefined_reason'},
        {'column': 'unexplained_share', 'own': true},
    ],
) }}
