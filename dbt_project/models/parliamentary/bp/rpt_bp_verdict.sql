{{ parliamentary_report('house_ranks', ref('int_bp_ranking_estimates'), ranking_measures()) }}
