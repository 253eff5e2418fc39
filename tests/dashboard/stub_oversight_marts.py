"""Made-up accuracy, calibration, beliefs, biases and votes of judges of debates about stories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stub_rows import Row

DATASET, ROOMS = "sample-stories", "nyu-debates"
SOUND, EASY = "simulated/oversight-calibrated", "simulated/oversight-credulous"
JUDGES = (SOUND, EASY)
STRONG = "lab/advocate-70b"
PEOPLE = "human"
NO_GAP = "the expert is not better than the naive judge"
_RIGHT = {
    SOUND: {"naive": 0.55, "expert": 0.95, "consultancy": 0.6, "debate": 0.75},
    EASY: {"naive": 0.5, "expert": 0.5, "consultancy": 0.45, "debate": 0.48},
}


def accuracy_rows(strange: str) -> Iterator[Row]:
    """Yield rows of every mart that is about judges.

    Args:
        strange: Stands wherever strangers can write, unless empty.
    """
    for judge, protocols in _RIGHT.items():
        for protocol, right in protocols.items():
            yield from _judge(judge, protocol, right, strange)
    for selection, right in (("all", 0.868), ("paper", 0.85)):
        keys = {
            **_keys(PEOPLE, "debate"),
            "dataset_id": ROOMS,
            "debater": "human",
            "debater_kind": "human",
            "is_interactive": True,
            "mode": "live",
            "template": "people",
            "answer_order": "shown",
            "selection": selection,
        }
        yield "rpt_protocol_accuracy", {**keys, **_accuracy(right), "is_pooled": True}
        yield (
            "rpt_protocol_accuracy",
            {**keys, **_accuracy(right), "is_pooled": False, "judge_id": f"{ROOMS}:Ada"},
        )
    for k, right in ((1, 0.6), (2, 0.6), (3, 0.66)):
        yield (
            "rpt_judge_ensemble",
            {
                **_keys(SOUND, "debate"),
                "judge_count": 3,
                "judges": ", ".join(JUDGES),
                "k": k,
                "subset_count": 3.0,
                "n_units": 12,
                "dropped_count": 1,
                "n_clusters": 6,
                "accuracy": right,
                "accuracy_low": right - 0.1,
                "accuracy_high": right + 0.1,
                "gain": right - 0.6,
                "gain_low": right - 0.65,
                "gain_high": right - 0.5,
            },
        )
    for order, (rule, before, removed) in enumerate(
        (("best_distractor", 20, 6), ("one_question_per_story", 14, 8), ("kept", 6, 0))
    ):
        yield (
            "rpt_reading_funnel",
            {
                "dataset_id": DATASET,
                "rule_order": order,
                "rule": rule,
                "description": strange or f"What {rule} removes.",
                "setting": strange or None,
                "questions_before": before,
                "removed_count": removed,
                "questions_after": before - removed,
                "withheld_count": 0,
                "story_count": 6,
            },
        )


def _keys(judge: str, protocol: str) -> dict[str, Any]:
    alone = protocol in ("naive", "expert")
    return {
        "judge_id": judge,
        "dataset_id": DATASET,
        "protocol": protocol,
        "debater": "none" if alone else STRONG,
        "debater_kind": "none" if alone else "model",
        "debate_setting": "none" if alone else "ov_debater, simultaneous",
        "is_interactive": False,
        "mode": "read",
        "template": "ov_judge",
        "asked_for": "probability",
        "answer_order": "both",
        "selection": "all",
        "is_main_order": True,
        "is_pooled": False,
        "variant_id": protocol,
    }


def _accuracy(right: float) -> dict[str, Any]:
    return {
        "is_headline": True,
        "n_units": 36,
        "n_clusters": 12,
        "n_judges": 1,
        "n_answers": 72,
        "failed_count": 0,
        "withheld_count": 0,
        "shared_room_count": 0,
        "tie_count": 1,
        "accuracy": right,
        "accuracy_low": right - 0.1,
        "accuracy_high": right + 0.05,
        "accuracy_if_worst": right,
        "accuracy_if_best": right,
        "mean_p_right": right - 0.05,
        "n_honest": 0,
        "n_dishonest": 0,
        "gap_n_units": 0,
    }


def _judge(judge: str, protocol: str, right: float, strange: str) -> Iterator[Row]:
    keys, found = _keys(judge, protocol), _accuracy(right)
    argued = protocol in ("consultancy", "debate")
    if protocol == "consultancy":
        found |= {
            "n_honest": 6,
            "honest_accuracy": right + 0.2,
            "honest_low": right,
            "honest_high": right + 0.3,
            "n_dishonest": 6,
            "dishonest_accuracy": right - 0.2,
            "dishonest_low": right - 0.3,
            "dishonest_high": right,
        }
    if argued and judge == SOUND:
        naive, expert = _RIGHT[judge]["naive"], _RIGHT[judge]["expert"]
        closed = (right - naive) / (expert - naive)
        found |= {
            "gap_n_units": 30,
            "naive_accuracy": naive,
            "expert_accuracy": expert,
            "gap_accuracy": right,
            "gap_closed": closed,
            "gap_closed_low": closed - 0.2,
            "gap_closed_high": closed + 0.2,
        }
    elif argued:
        found |= {
            "gap_reason": strange or NO_GAP,
            "failed_count": 5,
            "accuracy_if_worst": right - 0.1,
            "accuracy_if_best": right + 0.1,
        }
    yield "rpt_protocol_accuracy", {**keys, **found}
    yield (
        "rpt_calibration",
        {
            **keys,
            "n_units": 12,
            "n_clusters": 6,
            "n_answers": 24,
            "bin_count": 2,
            "base_rate": 0.5,
            "brier": 0.2,
            "brier_low": 0.15,
            "brier_high": 0.26,
            "reliability": 0.02,
            "resolution": 0.07,
            "uncertainty": 0.25,
            "within_bin_variance": 0.01,
            "within_bin_covariance": 0.01,
            "ece_answer_0": 0.08,
            "ece_answer_0_if_calibrated": 0.07,
            "ece_max_p": 0.09 if judge == SOUND else 0.31,
            "ece_max_p_if_calibrated": 0.08,
            "accuracy": right,
            "mean_max_p": 0.7,
            "overconfidence": 0.7 - right,
            "log_score": None if judge == EASY else 0.6,
            "log_score_of_finite": 0.6,
            "infinite_count": int(judge == EASY),
            "log_reason": (strange or "certain of the wrong answer") if judge == EASY else None,
        },
    )
    for number, (mean, share) in enumerate(((0.6, 0.5), (0.8, 0.9)), start=1):
        yield (
            "rpt_reliability_bins",
            {
                **keys,
                "event": "max_p",
                "bin": number,
                "n_units": 6,
                "n_clusters": 6,
                "p_low": mean - 0.1,
                "p_high": mean + 0.1,
                "mean_p": mean,
                "share": share,
                "share_low": share - 0.3,
                "share_high": min(1.0, share + 0.3),
            },
        )
    if not argued:
        return
    for step in (1, 2, 3):
        moved = None if step == 1 else 0.06
        yield (
            "rpt_belief_steps",
            {
                **keys,
                "honesty": "all",
                "step": step,
                "n_units": 12,
                "n_clusters": 6,
                "mean_p_right": 0.5 + 0.06 * step,
                "mean_p_right_low": 0.42 + 0.06 * step,
                "mean_p_right_high": 0.58 + 0.06 * step,
                "accuracy": right,
                "n_changes": 0 if step == 1 else 12,
                "change": moved,
                "change_low": None if moved is None else 0.01,
                "change_high": None if moved is None else 0.1,
                "toward_count": 8,
                "away_count": 3,
                "still_count": 1,
                "toward_share": 8 / 11,
            },
        )
    for effect, size in (("position", 0.02), ("padded", 0.01), ("unverified", -0.2)):
        tested = judge == EASY or effect != "unverified"
        yield (
            "rpt_judge_biases_oversight",
            {
                **keys,
                "effect": effect,
                "contrast": f"what {effect} adds",
                "n_units": 12,
                "n_clusters": 6,
                "n_answers": 24,
                "estimate": size if tested else None,
                "estimate_low": size - 0.05 if tested else None,
                "estimate_high": size + 0.05 if tested else None,
                "flip_count": 2,
                "flip_share": 1 / 6,
                "p": 0.0004 if tested else None,
                "p_adjusted": 0.0012 if tested else None,
                "is_significant": tested and effect == "unverified" if tested else None,
                "family_id": judge,
                "reason": None if tested else (strange or "nothing was quoted"),
            },
        )
