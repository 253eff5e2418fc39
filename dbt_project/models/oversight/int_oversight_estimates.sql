{# How judges fare who have not read the story: accuracy, calibration, ratings of debaters. #}
{% set how = [
    'protocol', 'debater', 'debater_kind', 'debate_setting', 'is_interactive', 'mode', 'template',
    'asked_for', 'answer_order',
] %}
{{ estimates_of(
    'rpt_protocol_accuracy', setting=how, population=['selection'], unit="'question'",
    measures=[
        {'column': 'accuracy', 'bounds': ['_if_worst', '_if_best']}, 'mean_p_right',
        {'column': 'honest_accuracy', 'low': 'honest_low', 'high': 'honest_high', 'n': 'n_honest',
            'when': "protocol = 'consultancy'", 'otherwise': 'no honest consultant'},
        {'column': 'dishonest_accuracy', 'low': 'dishonest_low', 'high': 'dishonest_high',
            'n': 'n_dishonest', 'when': "protocol = 'consultancy'",
            'otherwise': 'no dishonest consultant'},
        {'column': 'gap_closed', 'n_units': 'gap_n_units', 'reason': 'gap_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_calibration', setting=how, population=['selection'], unit="'question'",
    measures=[
        'brier', 'reliability', 'resolution', 'uncertainty', 'within_bin_variance',
        'within_bin_covariance', 'ece_answer_0', 'ece_answer_0_if_calibrated', 'ece_max_p',
        'ece_max_p_if_calibrated', {'column': 'accuracy', 'own': true}, 'mean_max_p',
        'overconfidence', {'column': 'log_score', 'reason': 'log_reason'},
        {'column': 'log_score_of_finite', 'reason': 'log_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_belief_steps', setting=how + ['step'], population=['selection', 'honesty'],
    unit="'question'",
    measures=[
        {'column': 'mean_p_right', 'own': true}, {'column': 'accuracy', 'own': true},
        {'column': 'change', 'own': true, 'n': 'n_changes', 'when': 'step > 1'},
        {'column': 'toward_share', 'n': 'n_changes', 'when': 'step > 1',
            'otherwise': 'no probability moved'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_judge_biases_oversight', setting=how | reject('in', ['mode', 'answer_order']) | list + ['effect'],
    unit="'question'",
    measures=[
        {'column': 'estimate', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted'},
        {'column': 'flip_share', 'own': true, 'when': 'flip_count is not null'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_judge_ensemble',
    setting=['protocol', 'debater', 'debater_kind', 'debate_setting', 'template', 'asked_for', 'k'],
    unit="'question'",
    measures=[{'column': 'accuracy', 'own': true}, {'column': 'gain', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_judge_against_people',
    setting=[
        'template', 'asked_for', 'answer_order', 'protocol', 'debater', 'debater_kind', 'people_mode',
        'moment', 'measure',
    ],
    population=['selection', 'honesty'], unit="'question'",
    measures=[
        {'column': 'difference', 'own': true}, 'judge_value', 'people_value',
    ],
) }}
union all
{{ estimates_of(
    'rpt_debater_rating', setting=['field_id', 'debater_id', 'argued'], unit="'story'",
    n='n_contests',
    measures=[{'column': 'rating', 'own': true}, {'column': 'win_share', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_rating_accuracy', setting=['field_id', 'debater_id'], unit="'story'", n='n_contests',
    measures=[{'column': 'accuracy', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_rating_slope', setting=['field_id', 'outcome'], unit="'story'",
    measures=[{'column': 'slope', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_rating_terms', setting=['field_id', 'term'], unit="'story'", n='n_contests',
    measures=[{'column': 'points', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_persuasiveness', setting=['field_id', 'protocol', 'debater_id'], unit="'story'",
    n='n_contests',
    measures=[
        'win_share', {'column': 'win_share_right', 'n': 'n_contests_right'},
        {'column': 'win_share_wrong', 'n': 'n_contests_wrong'}, 'right_minus_wrong',
    ],
) }}
union all
{{ estimates_of(
    'rpt_quote_use', setting=['debater_id', 'debater_template', 'protocol', 'argued'],
    unit="'story'", n='quote_count',
    measures=[
        'verified_share', 'quotes_per_turn', 'quoted_words_share', 'verified_words_share',
        {'column': 'mean_words', 'own': true, 'n': 'turn_count'},
        {'column': 'mean_similarity', 'own': true},
    ],
) }}
union all
{{ estimates_of(
    'rpt_reader_record', setting=['person', 'task'], population=['dimension'], unit="'item'",
    n='n_compared',
    measures=['mean_difference', 'mean_absolute_difference', 'mean_squared_difference'],
) }}
