"""Made-up rows of what reasons change, and of agreement against size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stub_rows import DIMENSION, PROMPTS, Row

_CELL = {"dataset_id": "sample", "dimension": DIMENSION}
# Of each judge its difference in tau-c, in kappa, in score and in unreadable answers.
_EFFECTS = {
    "simulated/careful": (0.08, 0.04, -0.2, 0.0),
    "lab/small-model": (-0.12, -0.05, -0.4, 0.1),
    "lab/quite-a-long-model-name-70b-instruct-4bit": (0.01, 0.01, 0.1, 0.0),
}
_SIZES = (0.5, 1.5, 7.0, 14.0, 72.0)


def effect_rows() -> Iterator[Row]:
    """Three judges with both prompts, a family of five sizes that turns at 7 B and one of two."""
    for judge, (tau, kappa, score, unparsed) in _EFFECTS.items():
        for measure, without, change, half, unit in (
            ("tau_c", 0.5, tau, 0.05, "topics"),
            ("kappa", 0.3, kappa, 0.06, "annotators"),
            ("score", 3.2, score, 0.15, "topics"),
            ("unparsed_share", 0.01, unparsed, 0.03 if unparsed else None, "topics"),
        ):
            for least in (20, 50, 100) if measure == "kappa" else (None,):
                yield (
                    "rpt_justification_effect",
                    {
                        **_CELL,
                        "judge_id": judge,
                        "template_plain": PROMPTS[0],
                        "template_justified": PROMPTS[1],
                        "measure": measure,
                        "min_shared_items": least,
                        "plain_value": without,
                        "justified_value": without + change,
                        "difference": change,
                        "difference_low": change - half if half else None,
                        "difference_high": change + half if half else None,
                        "n_items": 72,
                        "n_units": 15 if measure == "kappa" else 12,
                        "unit": unit,
                        "n_answers_plain": 72,
                        "n_answers_justified": 72,
                        "comparison_count": 0,
                        "undefined_count": 0,
                        "reason": None if half else "every topic differs alike",
                    },
                )
        yield (
            "rpt_justification_effect",
            {
                **_CELL,
                "judge_id": judge,
                "template_plain": PROMPTS[0],
                "template_justified": PROMPTS[1],
                "measure": "tokens_out",
                "n_items": 0,
                "n_units": 0,
                "unit": "topics",
                "n_answers_plain": 0,
                "n_answers_justified": 0,
                "comparison_count": 0,
                "undefined_count": 0,
                "reason": "no item has its tokens recorded under both prompts",
            },
        )
    yield from _sizes()


def _sizes() -> Iterator[Row]:
    for measure, least in (("tau_c", None), ("kappa", 50)):
        common: dict[str, Any] = {
            **_CELL,
            "template": PROMPTS[0],
            "measure": measure,
            "min_shared_items": least,
            "undefined_count": 0,
            "n_units": 12,
            "unit": "topics",
            "slope": 0.07,
            "slope_low": 0.03,
            "slope_high": 0.11,
        }
        turn = {
            "turning_size": 7.0,
            "turning_size_low": 1.5,
            "turning_size_high": 14.0,
            "is_7b_inside": True,
            "slope_before": 0.12,
            "slope_after": 0.01,
            "gain": 0.8,
            "p": 0.004,
            "p_permuted": 0.02,
            "p_adjusted": 0.008,
        }
        yield (
            "rpt_size_trend",
            {
                **common,
                **turn,
                "scope": "family",
                "family": "Grow",
                "n_judges": 5,
                "n_sizes": 5,
                "n_families": 1,
                "size_smallest": 0.5,
                "size_largest": 72.0,
                "line_smallest": 0.1,
                "line_largest": 0.6,
                "fitted_smallest": 0.05,
                "fitted_turning": 0.5,
                "fitted_largest": 0.54,
            },
        )
        few = "agreement is known at 2 sizes; a turning point needs 5"
        yield (
            "rpt_size_trend",
            {
                **common,
                "scope": "family",
                "family": "Pair",
                "n_judges": 2,
                "n_sizes": 2,
                "n_families": 1,
                "size_smallest": 8.0,
                "size_largest": 70.0,
                "line_smallest": 0.2,
                "line_largest": 0.4,
                "turning_reason": few,
            },
        )
        yield (
            "rpt_size_trend",
            {
                **common,
                **turn,
                "scope": "pooled",
                "n_judges": 7,
                "n_sizes": 7,
                "n_families": 2,
                "size_smallest": 0.5,
                "size_largest": 72.0,
                "p_permuted": 0.2,
            },
        )
    for family, sizes in (("Grow", _SIZES), ("Pair", (8.0, 70.0))):
        for at, size in enumerate(sizes):
            judge = f"lab/{family.lower()}-{size:g}b"
            yield (
                "dim_judge",
                {"judge_id": judge, "judge_kind": "model", "family": family, "size_b_params": size},
            )
            value = 0.1 + 0.1 * at
            cell = {**_CELL, "judge_id": judge, "template": PROMPTS[0], "n_units": 12}
            yield (
                "rpt_rank_agreement",
                {
                    **cell,
                    "tau_c": value,
                    "tau_c_low": value - 0.05,
                    "tau_c_high": value + 0.05,
                    "n_items": 72,
                },
            )
            yield (
                "rpt_rater_agreement",
                {
                    **cell,
                    "min_shared_items": 50,
                    "mean_kappa": value / 2,
                    "kappa_low": value / 2 - 0.05,
                    "kappa_high": value / 2 + 0.05,
                },
            )
