{# What answers to debatable questions are worth and whether their metrics can be trusted. #}
{% set is_pd = "metric = 'perspective_diversity'" %}
{{ estimates_of(
    'rpt_debateqa_leaderboard', setting=['setting_id', 'evaluator_id', 'evaluator_template'],
    population=['split'], unit="'question'", n='n_scored',
    failures='n_answers - n_scored',
    measures=[
        {'column': 'score', 'by': 'metric', 'bounds': ['_all_0', '_all_1']},
        {'column': 'score_released', 'by': 'metric',
            'otherwise': 'the released program reads the answer alone'},
        {'column': 'score_shared', 'by': 'metric', 'suffix': '_shared',
            'n_units': 'n_questions_shared'},
        {'column': 'score_adjusted', 'when': is_pd, 'reason': 'length_reason'},
        {'column': 'length_slope', 'when': is_pd, 'n_units': 'n_slope_questions',
            'reason': 'length_reason'},
        {'column': 'probability_ratio_per_token', 'n_units': 'n_shared_questions',
            'when': is_pd ~ ' and judge_id != reference_judge_id'},
        {'column': 'place', 'by': 'metric', 'suffix': '_place'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_answer_effects', setting=['setting_a', 'setting_b', 'evaluator_id', 'evaluator_template'],
    population=['split'], unit="'question'",
    measures=[
        {'column': 'difference', 'by': 'metric', 'suffix': '_difference', 'p': 'p',
            'p_adjusted': 'p_adjusted'},
        {'column': 'effect_size', 'by': 'metric', 'suffix': '_effect_size', 'p': 'p',
            'p_adjusted': 'p_adjusted'},
        {'column': 'difference_at_equal_length', 'when': is_pd, 'reason': 'length_reason'},
    ],
) }}
union all
{{ estimates_of(
    'rpt_backbone_stability',
    setting=[
        'condition_id', 'metric', 'evaluator_a', 'evaluator_template_a', 'evaluator_b',
        'evaluator_template_b',
    ],
    population=['split'], unit="'question'", measures=[{'column': 'kendall', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_metric_alignment', setting=['ranking_method', 'metric', 'evaluator_template'],
    keys={'judge_id': 'evaluator_id'}, population=['scope'], unit="'question'", n='n_rankings',
    measures=[{'column': 'spearman', 'own': true}, {'column': 'kendall', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_dispute_accuracy', setting=['evaluator_template'], keys={'judge_id': 'evaluator_id'},
    unit="'question'",
    measures=[
        {'column': 'accuracy', 'bounds': ['_all_wrong', '_all_right']}, 'accuracy_released', 'f1', 'f1_released', 'auroc', 'auroc_released', 'mcc',
        {'column': 'mcc_released', 'otherwise': 'the released rule always finds the same digit'},
        {'column': 'gain', 'own': true}, 'baseline_accuracy', 'baseline_f1',
    ],
) }}
union all
{{ estimates_of(
    'rpt_missing_viewpoints', setting=['setting_id', 'evaluator_id', 'evaluator_template'],
    population=['split'], unit="'question'", measures=['missing_share'],
) }}
union all
{{ estimates_of(
    'rpt_retrieval_coverage', setting=['setting_id'], population=['split'], unit="'question'",
    n='n_known', measures=['shown_share'],
) }}
union all
{{ estimates_of(
    'rpt_annotation_agreement', keys={'judge_id': "'human'"}, population=['task'],
    unit="'question'",
    measures=[{'column': 'estimate', 'by': 'measure', 'prefix': 'annotation_'}],
) }}
union all
{{ estimates_of(
    'rpt_annotation_outcomes', keys={'judge_id': "'human'"}, population=['task'],
    unit="'question'", n='n_partial_answers', measures=['passed_share'],
) }}
union all
{{ estimates_of(
    'rpt_document_relevance', population=['averaged_over'], unit="'question'", n='n_chunks',
    measures=[{'column': 'mean_similarity', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_view_coverage', unit="'question'", n='n_chunks',
    measures=['covered_share', 'mean_nearest_similarity'],
) }}
union all
{{ estimates_of(
    'rpt_view_distinctness', unit="'question'", n='n_pairs',
    measures=['distinct_share', {'column': 'mean_similarity', 'own': true}],
) }}
