"""Tables of marts that are being written, by their agreed columns; gone once the marts are here."""

K = "experiment varchar, dataset_id varchar, judge_id varchar, variant_id varchar, template varchar, verbalizer varchar, position varchar, outcome varchar, "
K2 = "experiment varchar, dataset_id varchar, judge_id varchar, template varchar, verbalizer varchar, position varchar, outcome varchar, "


def cols(text, ints=(), strings=()):
    out = []
    for part in text.replace("(_low,_high)", "@").split(","):
        name = part.strip()
        band = name.endswith("@")
        name = name.removesuffix("@")
        kind = "double"
        if (
            name.startswith("n_")
            or name.endswith("_count")
            or "_pred_" in name
            or name in ints
            or name.startswith(("only_", "both_"))
            or name == "mh_n_units"
            or name.startswith("debates_")
        ):
            kind = "bigint"
        if name in strings or name.endswith("reason"):
            kind = "varchar"
        if name.startswith("is_"):
            kind = "boolean"
        out.append(f"{name} {kind}")
        if band:
            out += [f"{name}_low double", f"{name}_high double"]
    return ", ".join(out)


S = (
    "human_winner",
    "predicted",
    "p_kind",
    "contrast",
    "variant_a",
    "variant_b",
    "comparison",
    "experiment",
    "dataset_id",
    "judge_a",
    "judge_b",
    "judge_id",
    "kind",
    "variant_id",
    "family_id",
    "family",
    "bias",
    "statistic_kind",
    "finding",
    "term",
    "scope",
    "panel",
    "panel_name",
    "members",
    "statistic_name",
    "rule",
    "description",
    "setting",
)
ABC = "contrast, variant_a, variant_b, n_units, n_clusters, n_answers, split_count, share_a, share_b, difference(_low,_high), both_con, only_a_con, only_b_con, both_pro, mcnemar, p_mcnemar, mcnemar_corrected, p_corrected, p_exact, p, p_kind, z_paper, p_z_paper, reason"
AWAITED = {
    "rpt_verdict_accuracy": K
    + cols(
        "round_count, n_units, n_clusters, n_answers, parsed_count, unparsed_count, unanswered_count, tie_count, accuracy(_low,_high), accuracy_all_wrong, accuracy_all_right, f1_weighted(_low,_high), f1_macro(_low,_high), f1_pro, f1_con, mcc(_low,_high), mcc_reason, kappa(_low,_high), kappa_reason, reason"
    ),
    "rpt_confusion": K
    + cols(
        "round_count, human_winner, predicted, n_answers, n_units, share(_low,_high)", strings=S
    ),
    "rpt_order_bias": K
    + cols(
        "n_units, n_clusters, n_answers, split_count, pro_closes_pred_pro, pro_closes_pred_con, con_closes_pred_pro, con_closes_pred_con, share_pro_closes, share_con_closes, difference(_low,_high), chi_square, p_chi_square, chi_square_yates, p_yates, phi(_low,_high), phi_yates, odds_ratio(_low,_high), mh_odds_ratio(_low,_high), mh_difference(_low,_high), mh_chi_square, p_mh, mh_n_units, reason, mh_reason"
    ),
    "rpt_stance_bias": K
    + cols(
        "n_units, n_clusters, n_answers, split_count, predicted_con_share, human_con_share, difference(_low,_high), only_predicted_con, only_human_con, mcnemar, p_mcnemar, mcnemar_corrected, p_corrected, p_exact, p, p_kind, is_neutralised, reason",
        strings=S,
    ),
    "rpt_verbosity_bias": K
    + cols(
        "n_units, n_clusters, n_answers, judge_slope(_low,_high), human_slope(_low,_high), difference(_low,_high), statistic, df, p, longer_wins_judge(_low,_high), longer_wins_human, longer_difference(_low,_high), reason"
    ),
    "rpt_filter_funnel": "dataset_id varchar, rule_order bigint, rule varchar, description varchar, setting varchar, debates_before bigint, removed_count bigint, debates_after bigint",
    "rpt_corpus_statistics": "dataset_id varchar, statistic varchar, round_count bigint, n_debates bigint, value double, value_low double, value_high double, published_value double, reason varchar",
    "rpt_position_bias": "experiment varchar, dataset_id varchar, judge_id varchar, template varchar, verbalizer varchar, outcome varchar, "
    + cols(ABC, strings=S),
    "rpt_label_bias": "experiment varchar, dataset_id varchar, judge_id varchar, template varchar, position varchar, outcome varchar, "
    + cols(ABC.replace("z_paper, p_z_paper, ", ""), strings=S),
    "rpt_verdict_comparison": cols(
        "comparison, experiment, dataset_id, judge_a, judge_b, variant_a, variant_b, n_units, n_clusters, accuracy_a, accuracy_b, difference(_low,_high), both_right, only_a_right, only_b_right, both_wrong, mcnemar, p_mcnemar, p_exact, p, p_kind, p_adjusted, family_id, agreement, con_share_difference(_low,_high), reason",
        strings=S,
    ),
    "rpt_self_consistency": cols(
        "experiment, dataset_id, judge_id, kind, variant_id, n_units, n_pairs, flip_share(_low,_high), reason",
        strings=S,
    ),
    "rpt_bias_battery": cols(
        "family_id, family, experiment, dataset_id, judge_id, bias, contrast, variant_a, variant_b, effect(_low,_high), statistic, statistic_kind, df, p, p_adjusted, n_units, n_clusters, n_answers, is_significant, finding, reason",
        strings=S,
    ),
    "rpt_bias_joint": cols(
        "experiment, dataset_id, judge_id, term, n_units, n_clusters, n_answers, coefficient(_low,_high), marginal_effect(_low,_high), statistic, p, reason",
        strings=S,
    ),
    "rpt_judge_agreement": cols(
        "scope, experiment, dataset_id, variant_id, judge_a, judge_b, judge_count, n_units, n_clusters, raw_agreement(_low,_high), cohen_kappa(_low,_high), fleiss_kappa(_low,_high), krippendorff_alpha(_low,_high), reason",
        strings=S,
    ),
    "rpt_panel_accuracy": cols(
        "panel, experiment, dataset_id, panel_name, judge_count, members, variant_id, n_units, n_clusters, accuracy(_low,_high), single_accuracy, difference(_low,_high), tie_count, con_share_difference(_low,_high), cost_usd_per_verdict, single_cost_usd_per_verdict, reason",
        strings=S,
    ),
}
