"""The published tables, as the marts' contracts name and type them."""

_ESTIMATE = "{0} double, {0}_low double, {0}_high double"


def _estimates(*names: str) -> str:
    return ", ".join(_ESTIMATE.format(name) for name in names)


_CELL = "dataset_id varchar, dimension varchar, judge_id varchar, template varchar"

TABLES = {
    "dim_dataset": (
        "dataset_id varchar, title varchar, licence varchar, citation varchar, url varchar, "
        "is_sample boolean, item_count bigint, debate_count bigint, annotator_count bigint, "
        "rating_count bigint, quarantined_count bigint, loaded_at timestamp"
    ),
    "dim_dimension": (
        "dataset_id varchar, dimension varchar, question varchar, scale_min double, "
        "scale_max double"
    ),
    "dim_judge": (
        "judge_id varchar, judge_kind varchar, provider varchar, model varchar, family varchar, "
        "size_b_params double, settings varchar, settings_hash varchar, members varchar"
    ),
    "dim_item": (
        "item_id varchar, dataset_id varchar, debate_id varchar, motion varchar, source varchar, "
        "text varchar, word_count bigint, item_hash varchar, is_sample boolean"
    ),
    "dim_variant": (
        "template varchar, instrument varchar, wording varchar, prompt_hash varchar, "
        "is_justified boolean"
    ),
    "dim_run": (
        "run_id varchar, experiment varchar, judge_id varchar, origin varchar, "
        "settings_hash varchar, item_file varchar, planned_count bigint, code_version varchar, "
        "started_at timestamp, ended_at timestamp, status varchar"
    ),
    "dim_response": (
        "response_id varchar, run_id varchar, request_id varchar, judge_id varchar, "
        "item_id varchar, template varchar, dimension varchar, sample bigint, response varchar, "
        "request_status varchar, error_kind varchar, finish_reason varchar, "
        "parse_status varchar, parse_reason varchar, answered_at timestamp"
    ),
    "fct_rating": (
        "dataset_id varchar, debate_id varchar, item_id varchar, annotator_id varchar, "
        "dimension varchar, value double"
    ),
    "fct_score": (
        "response_id varchar, run_id varchar, experiment varchar, dataset_id varchar, "
        "debate_id varchar, item_id varchar, judge_id varchar, template varchar, "
        "dimension varchar, sample bigint, value double, value_released double, "
        "request_status varchar, parse_status varchar, parse_reason varchar, "
        "is_current boolean, is_stale boolean, tokens_in bigint, tokens_out bigint, "
        "latency_s double, cost_usd double, answered_at timestamp"
    ),
    "rpt_rater_agreement": (
        f"{_CELL}, min_shared_items bigint, mean_kappa double, kappa_low double, "
        "kappa_high double, median_kappa double, pair_count bigint, comparison_count bigint, "
        "undefined_pair_count bigint, dropped_pair_count bigint, mean_support double, "
        f"n_units bigint, n_answers bigint, unparsed_count bigint, "
        f"{_estimates('kappa_minus_human')}, mean_kappa_failures_nearest double, "
        "mean_kappa_failures_farthest double, mean_kappa_released double, "
        "undefined_reason varchar"
    ),
    "rpt_rank_agreement": (
        f"{_CELL}, {_estimates('tau_c', 'tau_b', 'spearman', 'pearson')}, n_items bigint, "
        "n_units bigint, n_answers bigint, n_annotators bigint, "
        "undefined_annotator_count bigint, unparsed_count bigint, unparsed_share double, "
        "tau_c_failures_nearest double, tau_c_failures_farthest double, tau_c_released double, "
        f"{_estimates('tau_c_on_human_items', 'tau_c_minus_human')}, undefined_reason varchar"
    ),
    "rpt_score_distribution": (
        f"{_CELL}, score_label varchar, score double, answer_count bigint, n_answers bigint, "
        f"{_estimates('share')}, n_units bigint"
    ),
    "rpt_source_scores": (
        f"{_CELL}, source varchar, {_estimates('mean_score')}, n_items bigint, "
        f"n_answers bigint, n_units bigint, unparsed_count bigint, {_estimates('minus_human')}, "
        "undefined_reason varchar"
    ),
    "rpt_source_agreement": (
        f"{_CELL}, {_estimates('pearson', 'tau_b')}, n_sources bigint, n_items bigint, "
        "n_units bigint, undefined_reason varchar"
    ),
    "rpt_item_disagreement": (
        f"{_CELL}, item_id varchar, source varchar, score double, {_estimates('human_mean')}, "
        "n_ratings bigint, n_answers bigint, score_minus_human double, disagreement_rank bigint"
    ),
    "rpt_run_health": (
        "run_id varchar, experiment varchar, judge_id varchar, template varchar, "
        "status varchar, planned_count bigint, request_count bigint, answered_count bigint, "
        f"parsed_count bigint, unparsed_count bigint, {_estimates('unparsed_share')}, "
        "unparsed_by_reason varchar, error_count bigint, errors_by_kind varchar, "
        "stale_count bigint, tokens_in bigint, tokens_out bigint, cost_usd double, "
        "cost_known_count bigint, latency_p50_s double, latency_p90_s double, "
        "latency_p99_s double, started_at timestamp, ended_at timestamp"
    ),
    "rpt_published_comparison": (
        "paper_id varchar, location varchar, statistic varchar, qualifier varchar, "
        "published_value double, published_text varchar, unit varchar, warehouse_value double, "
        "warehouse_low double, warehouse_high double, n bigint, agreement_status varchar, "
        "note varchar"
    ),
    "publication": (
        "version varchar, published_at timestamp, code_version varchar, project_hash varchar, "
        "dbt_invocation_id varchar, raw_load_id bigint"
    ),
}
