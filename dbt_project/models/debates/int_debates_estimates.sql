{# What judges of debates are worth, and how biased they are, one estimate a row. #}
{{ estimates_of(
    'rpt_verdict_accuracy', setting=['variant_id'], population=['round_count'], unit="'debate'",
    n='n_answers - unparsed_count - unanswered_count',
    failures='unparsed_count + unanswered_count',
    measures=[
        {'column': 'accuracy', 'bounds': ['_all_wrong', '_all_right']},
        {'column': 'accuracy_released', 'otherwise': 'no reply in words',
            'n': 'parsed_count_released', 'n_units': 'n_units_released'},
        'f1_weighted', 'f1_macro', 'f1_pro', 'f1_con', 'mcc',
        {'column': 'kappa', 'own': true},
    ],
) }}
union all
{{ estimates_of(
    'rpt_verdict_comparison', setting=['comparison', 'judge_b', 'variant_a', 'variant_b'],
    keys={'judge_id': 'judge_a'}, unit="'debate'",
    measures=[
        {'column': 'difference', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted'},
        {'column': 'agreement', 'own': true, 'n_units': 'n_shared'},
        {'column': 'con_share_difference', 'n_units': 'n_shared'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_verdict_people', setting=['variant_id', 'compared_with'], unit="'debate'",
    n='comparison_count',
    measures=[{'column': 'agreement', 'own': true}, {'column': 'kappa', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_judge_agreement', setting=['scope', 'variant_id', 'judge_b'], keys={'judge_id': 'judge_a'},
    unit="'debate'",
    measures=[
        'raw_agreement',
        {'column': 'cohen_kappa', 'when': "scope = 'pair'"},
        {'column': 'fleiss_kappa', 'when': "scope = 'panel'"},
        {'column': 'krippendorff_alpha', 'when': "scope = 'panel'"},
    ],
) }}
union all
{{ estimates_of(
    'rpt_panel_accuracy', setting=['panel', 'panel_name', 'variant_id', 'variant_con_second'],
    unit="'debate'",
    measures=[
        'accuracy', 'single_accuracy', 'con_share_difference', 'single_con_share_difference',
        'cost_usd_per_verdict', 'single_cost_usd_per_verdict', {'column': 'difference', 'own': true},
    ],
) }}
union all
{{ estimates_of(
    'rpt_corpus_statistics', population=['round_count'], unit="'debate'", n='n_debates',
    n_units='n_debates',
    measures=[{'column': 'value', 'by': 'statistic', 'prefix': 'corpus_'}],
) }}
{% for mart in ['rpt_position_bias', 'rpt_label_bias'] %}
    union all
    {{ estimates_of(
        mart, setting=['contrast', 'variant_a', 'variant_b'], unit="'debate'",
        measures=[{'column': 'difference', 'own': true, 'p': 'p'}],
    ) }}
{% endfor %}
union all
{{ estimates_of(
    'rpt_order_bias', setting=['variant_id'], unit="'debate'",
    measures=[
        {'column': 'difference', 'own': true, 'p': 'p_chi_square'},
        {'column': 'phi', 'p': 'p_chi_square'},
        {'column': 'odds_ratio', 'p': 'p_chi_square'},
        {'column': 'mh_difference', 'p': 'p_mh', 'n_units': 'mh_n_units', 'reason': 'mh_reason'},
        {'column': 'mh_odds_ratio', 'p': 'p_mh', 'n_units': 'mh_n_units', 'reason': 'mh_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_stance_bias', setting=['variant_id'], unit="'debate'",
    measures=[
        'predicted_con_share', 'human_con_share', {'column': 'difference', 'own': true, 'p': 'p'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_verbosity_bias', setting=['variant_id'], unit="'debate'",
    measures=[
        'judge_slope', 'human_slope', {'column': 'difference', 'own': true, 'p': 'p'},
        'judge_per_ten_pct_words', 'human_per_ten_pct_words', 'difference_per_ten_pct_words',
        'longer_wins_judge', 'longer_wins_human', 'longer_difference',
    ],
) }}
union all
{{ estimates_of(
    'rpt_side_bias', setting=['template', 'wording', 'outcome'], unit="'motion'",
    measures=[
        'pro_share', {'column': 'difference', 'own': true, 'p': 'p'},
        {'column': 'effect_size', 'own': true, 'p': 'p'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_side_comparison', setting=['judge_b', 'template', 'wording', 'outcome'], keys={'judge_id': 'judge_a'},
    unit="'motion'",
    measures=[
        {'column': 'difference', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted'},
        {'column': 'effect_size', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_bias_battery',
    setting=['bias', 'template', 'wording', 'outcome', 'contrast', 'variant_a', 'variant_b'],
    unit="'debate'",
    measures=[
        {'column': 'effect', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted'},
        {'column': 'share_change', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_bias_joint', setting=['template', 'term'], unit="'debate'",
    measures=[
        {'column': 'coefficient', 'p': 'p'}, {'column': 'marginal_effect', 'p': 'p'},
        {'column': 'share_change', 'own': true, 'p': 'p'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_self_consistency', setting=['kind', 'variant_id'], unit="'debate'", n='n_pairs',
    measures=[{'column': 'flip_share', 'own': true}],
) }}
