"""Made-up rows of what judging together adds, of severity and of calibration."""

from __future__ import annotations

from collections.abc import Iterator

from stub_rows import DIMENSION, PROMPTS, SOURCES, Judge, Row

_SHARED = {"n_judges": 7, "n_items": 65, "n_units": 12}


def ensemble_rows(judges: tuple[Judge, ...], strange: str) -> Iterator[Row]:
    """Yield rows of searches, subsets, severity, its trend and calibration for the sample.

    Args:
        judges: Which judges have scored the sample.
        strange: Stands wherever strangers can write, unless empty.
    """
    of = {"dataset_id": "sample", "dimension": DIMENSION, "template": PROMPTS[0]}
    for size, pooling, gain in (("any", "any", 0.04), ("2", "mean", 0.04), ("3", "median", -0.01)):
        yield (
            "rpt_ensemble_search",
            of
            | _SHARED
            | {
                "search_size": size,
                "search_pooling": pooling,
                "members": "lab/a, lab/b",
                "member_count": 2,
                "pooling": "mean",
                "best_member_id": "lab/a",
                "tau_c_in_sample": 0.66,
                "best_member_tau_c_in_sample": 0.58,
                "held_out_tau_c": 0.61,
                "held_out_tau_c_low": 0.5,
                "held_out_tau_c_high": 0.7,
                "gain_over_member": gain,
                "gain_over_member_low": gain - 0.03,
                "gain_over_member_high": gain + 0.03,
                "gain_over_judge": gain,
                "gain_over_judge_low": gain - 0.03,
                "gain_over_judge_high": gain + 0.03,
                "chosen_share": 0.4,
                "cost_per_item_usd": 0.002,
                "n_subsets": 21,
                "n_splits": 400,
                "undefined_split_count": 0,
                "n_judges_left_out": 1,
                "n_items_left_out": 7,
            },
        )
    yield (
        "rpt_ensemble_search",
        of
        | _SHARED
        | {
            "search_size": "5",
            "search_pooling": "any",
            "n_subsets": 0,
            "n_splits": 0,
            "undefined_reason": "fewer than 5 judges have scored the same speeches",
            "held_out_reason": "fewer than 5 judges have scored the same speeches",
        },
    )
    yield (
        "rpt_ensemble_subset",
        of
        | {
            "search_size": "2",
            "search_pooling": "mean",
            "subset_rank": 1,
            "members": "lab/a, lab/b",
            "member_count": 2,
            "pooling": "mean",
            "tau_c_on_scale": 0.66,
            "tau_c_on_scale_minus_best_member": 0.08,
            "tau_c": 0.66,
            "tau_c_low": 0.5,
            "tau_c_high": 0.7,
            "best_member_id": "lab/a",
            "best_member_tau_c": 0.58,
            "value_count": 9,
            "best_member_value_count": 5,
            "mean_kappa": 0.4,
            "pair_count": 105,
            "n_items": 65,
            "n_units": 12,
        },
    )
    for judge in judges:
        about = of | {"judge_id": judge.judge_id, "n_units": 12}
        counts = {"n_items": 72, "n_sources": 6, "n_items_failed": 6 * (judge.unparsed > 0)}
        overall = {
            "scope": "overall",
            "judge_mean": 3 + judge.shift,
            "human_mean": 3.0,
            "shift": judge.shift,
            "shift_low": judge.shift - 0.2,
            "shift_high": judge.shift + 0.2,
            "shift_failures_lowest": judge.shift - 0.1,
            "shift_failures_highest": judge.shift + 0.1,
            "spread_ratio": 1.2,
            "sharpness": 1.1,
            "sharpness_low": 1.05,
            "sharpness_high": 1.15,
        }
        yield "rpt_severity", about | counts | overall
        for source, mean in SOURCES.items():
            yield (
                "rpt_severity",
                about
                | counts
                | {
                    "scope": "source",
                    "source": strange or source,
                    "human_mean": mean,
                    "n_sources": 1,
                    "shift": judge.shift,
                    "shift_low": judge.shift - 0.3,
                    "shift_high": judge.shift + 0.3,
                },
            )
        for method, change in (("none", None), ("linear", -0.2), ("isotonic", -0.25)):
            yield (
                "rpt_score_calibration",
                about
                | {
                    "method": method,
                    "n_items": 72,
                    "n_folds": 10,
                    "mae": 0.8 + (change or 0),
                    "mae_change": change,
                    "mae_change_low": change and change - 0.1,
                    "mae_change_high": change and change + 0.1,
                    "rmse": 1.0,
                    "bias": judge.shift,
                    "tau_c": judge.tau,
                    "mean_kappa": judge.kappa,
                    "pair_count": 105,
                    "mean_kappa_change": change and 0.05,
                    "mean_kappa_change_low": change and 0.01,
                    "mean_kappa_change_high": change and 0.09,
                    "n_annotators": 15,
                },
            )
    for measure, value in (("shift", -0.9), ("sharpness", None), ("spread_ratio", 0.2)):
        yield (
            "rpt_severity_trend",
            of
            | {
                "measure": measure,
                "spearman": value,
                "spearman_low": value and value - 0.3,
                "spearman_high": value and min(-0.1, value + 0.3) if measure == "shift" else 0.5,
                "n_judges": 6,
                "n_judges_asked": 7,
                "undefined_reason": None if value else "fewer than 5 judges",
            },
        )
