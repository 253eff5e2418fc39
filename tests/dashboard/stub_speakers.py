"""Made-up rows of models as speakers: four judges, one of which cannot compare, and a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Row = tuple[str, Mapping[str, Any]]

SPEAKER, PROGRAM, OLD = "lab/speaker", "First draft", "elsewhere/unread"
FAVOURING = "lab/small-model"
PROMPT = "speech_score"
NO_SCORE = "no topic has scores of both"
APART = "the speaker and people do not overlap: what is style and what is speaker cannot be told"
_CELL = {"dataset_id": "sample", "dimension": "quality", "template": PROMPT}


def _around(name: str, value: float | None, half: float | None) -> dict[str, float | None]:
    has = value is not None and half is not None
    return {
        name: value,
        f"{name}_low": value - half if has else None,
        f"{name}_high": value + half if has else None,
    }


def speaker_rows() -> Iterator[Row]:
    """Yield rows of the reports on speakers."""
    for judge_id, source, value, half, units, reason in (
        ("simulated/careful", SPEAKER, 0.4, 0.2, 12, None),
        (FAVOURING, SPEAKER, 0.9, 0.3, 12, None),
        ("simulated/harsh", SPEAKER, -0.1, 0.3, 12, None),
        ("rule/word-count", SPEAKER, None, None, 0, NO_SCORE),
        ("simulated/careful", PROGRAM, -1.5, 0.3, 12, None),
        ("human", PROGRAM, -1.25, 0.25, 12, None),
        ("simulated/careful", OLD, 0.5, None, 1, None),
    ):
        failed = judge_id == FAVOURING
        yield (
            "rpt_speaker_comparison",
            {
                **_CELL,
                "judge_id": judge_id,
                "source": source,
                "template": "human" if judge_id == "human" else PROMPT,
                "speaker_kind": "pipeline" if source == PROGRAM else "model",
                "speaker_id": None if source == PROGRAM else source,
                **_around("difference", value, half),
                "mean_score": value and 3.5 + value,
                "human_mean_score": 3.5 if value else None,
                "difference_failures_lowest": value - 0.4 if failed else None,
                "difference_failures_highest": value + 0.1 if failed else None,
                **_around("ahead_share", 0.75 if units > 1 else None, 0.2),
                "ahead_count": units * 3 // 4,
                "tied_count": 0,
                "behind_count": units - units * 3 // 4,
                "n_units": units,
                "n_speeches": 2 * units,
                "n_human_speeches": 3 * units,
                "n_answers": 5 * units,
                "speaker_only_count": 1,
                "human_only_count": 12 - units,
                "neither_count": 0,
                "failure_count": 2 if failed else 0,
                "human_failure_count": 0,
                "undefined_reason": reason,
                "interval_reason": reason or ("fewer than 5 topics" if half is None else None),
            },
        )
    for source, judge_id, value, reason in (
        (SPEAKER, FAVOURING, 0.75, None),
        (OLD, None, None, "no judge of the family of the speaker"),
    ):
        yield (
            "rpt_self_preference",
            {
                **_CELL,
                "source": source,
                "speaker_id": source,
                "speaker_family": source.split("/")[0],
                "judge_id": judge_id,
                "is_self": False if judge_id else None,
                **_around("self_preference", value, 0.25),
                "own_difference": 0.9 if value else None,
                "other_difference": 0.15 if value else None,
                "n_own_judges": 1 if value else 0,
                "n_other_judges": 2,
                "n_other_families": 1,
                "n_judges_left_out": 3,
                "n_units": 12 if value else 0,
                "incomplete_count": 0,
                "n_answers": 180,
                "failure_count": 0,
                "undefined_reason": reason,
                "interval_reason": None,
            },
        )
    for feature, overlap, left, apart in (
        ("word_count", 0.8, 0.3, None),
        ("paragraph_count", 0.0, None, APART),
        ("marker_count", 0.05, 0.6, None),
    ):
        yield (
            "rpt_style_effect",
            {
                **_CELL,
                "judge_id": FAVOURING,
                "source": SPEAKER,
                "feature": feature,
                "speaker_kind": "model",
                "speaker_feature_mean": 600.0,
                "human_feature_mean": 500.0,
                "feature_sd": 100.0,
                "overlap_share": overlap,
                **_around("difference", 0.9, 0.3),
                **_around("slope", 0.6, 0.2),
                **_around("difference_adjusted", left, 0.25),
                **_around("explained", None if left is None else 0.9 - left, 0.15),
                "n_units": 12,
                "n_speeches": 24,
                "n_human_speeches": 36,
                "slope_reason": None,
                "adjusted_reason": apart,
            },
        )
    for judge_id, speeches, refused in ((SPEAKER, 20, 4), (OLD, 0, 24)):
        there = speeches > 0
        yield (
            "rpt_speech_writing",
            {
                "dataset_id": "sample",
                "judge_id": judge_id,
                "speaker_family": None,
                "template": "speech_writing",
                "wording": "equivalent",
                "word_limit": 600,
                "n_requests": 24,
                "n_units": 12,
                "n_speeches": speeches,
                **_around("speech_share", speeches / 24, 0.125 if there else 0.0),
                "refused_count": refused,
                "unreadable_count": 0,
                "truncated_count": 0,
                "failed_count": 0,
                "stale_count": 0,
                "cut_count": 3 if there else 0,
                **_around("mean_words", 500.0 if there else None, 25.0),
                "mean_words_written": 540.0 if there else None,
                "words_reason": None if there else "no speech came of these requests",
                "cost_usd": 0.25,
            },
        )
