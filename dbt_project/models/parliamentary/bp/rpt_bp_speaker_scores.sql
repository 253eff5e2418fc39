{{ parliamentary_report('speaker_scores', ref('int_bp_score_estimates'), score_measures()) }}
