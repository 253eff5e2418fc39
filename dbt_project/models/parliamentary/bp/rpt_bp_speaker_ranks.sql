{{ parliamentary_report('speaker_ranks', ref('int_bp_ranking_estimates'), ranking_measures()) }}
