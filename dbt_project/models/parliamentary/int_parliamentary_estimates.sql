{# How judges of British Parliamentary debates rank and score beside the panel. #}
{% for mart, prefix in {
    'rpt_bp_verdict': 'house_', 'rpt_bp_speaker_ranks': 'speaker_', 'rpt_bp_speaker_scores': 'speaker_score_',
}.items() %}
    {{ estimates_of(
        mart, setting=['setting_id'], unit="'debate'", n='n_values', failures='missing_count',
        measures=[
            {'column': 'value', 'by': 'measure', 'prefix': prefix, 'bounds': ['_if_worst', '_if_best']},
            {'column': 'minus_chance', 'by': 'measure', 'prefix': prefix,
                'convention': 'minus_chance',
                'otherwise': 'guessing has no expected value of this measure'},
        ],
    ) }}
    union all
{% endfor %}
{{ estimates_of(
    'rpt_bp_guessing', setting=['setting_id', 'task', 'baseline'], unit="'debate'",
    measures=[{
        'column': 'value',
        'by': "if(task = 'speaker_scores', 'speaker_score', split_part(task, '_', 1)) || '_' || measure",
    }],
) }}
union all
{{ estimates_of(
    'rpt_bp_bias', setting=['setting_id', 'effect', 'outcome'], unit="'debate'",
    measures=[{
        'column': 'estimate', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted',
        'when': "effect != 'named_first'",
    }],
) }}
union all
-- Of settings that differ in the order of the houses alone, and so of none of them.
{{ estimates_of(
    'rpt_bp_bias', unit="'debate'",
    setting=adjudication_factors(['judge_id', 'dataset_id', 'house_order']) + ['effect', 'outcome'],
    measures=[{
        'column': 'estimate', 'own': true, 'p': 'p', 'p_adjusted': 'p_adjusted',
        'when': "effect = 'named_first'",
    }],
) }}
union all
{{ estimates_of(
    'rpt_bp_tolerance', setting=['setting_id', 'tolerance'], unit="'debate'", n='n_values',
    failures='missing_count',
    measures=[{'column': 'share', 'own': true, 'bounds': ['_if_worst', '_if_best']}],
) }}
union all
{{ estimates_of(
    'rpt_bp_faults', setting=['setting_id', 'fault_task', 'fault'], unit="'debate'",
    measures=[{'column': 'share', 'own': true}],
) }}
union all
{{ estimates_of(
    'rpt_context_length', setting=['setting_id', 'measure', 'part', 'bin'], unit="'debate'",
    failures='unreadable_count', measures=[{'column': 'value', 'own': true}],
) }}
