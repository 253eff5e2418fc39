"""Made-up adjudications of parliamentary debates, and transcripts that wait for a person.

Values, counts and differences follow from made-up results; intervals, chance and p are invented.
Among them on purpose: a judge some of whose replies cannot be read, an effect that is undefined, a
debate that a rule removes, and a way of asking without the motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from stub_rows import NOON, Row

DATASET = "sample-parliamentary"
DEBATES = 12
ROLES = ("pm", "lo", "dpm", "dlo", "mg", "mo", "gw", "ow")
HOUSE_OF = dict(zip(ROLES, ("og", "oo", "og", "oo", "cg", "co", "cg", "co"), strict=True))
HOUSES = ("og", "oo", "cg", "co")
CHAIR, OPENING, WING = "simulated/chair", "simulated/opening-house", "lab/careless-wing-8b"
# How far each judge strays, and how many places it likes the opening half too much.
JUDGES = {CHAIR: (1.2, 0.0), OPENING: (2.0, 3.0), WING: (4.0, 0.0)}
VERDICT = {
    "sum_rank_difference": 5.0,
    "mean_rank_difference": 1.25,
    "exact_match": 1 / 24,
    "pair_accuracy": 0.5,
    "kendall_tau": 0.0,
    "top_accuracy": 0.25,
    "bottom_accuracy": 0.25,
}
LOWER = ("sum_rank_difference", "mean_rank_difference", "mae", "rmse")
WAY = {
    "template": "bp_all",
    "task": "all",
    "manual": "bp_manual",
    "house_order": "og-oo-cg-co",
    "strategy": "whole",
    "has_motion": True,
    "has_info_slide": True,
    "variant_id": "all at once",
}
BLIND = {
    **WAY,
    "template": "bp_house_ranks",
    "task": "house_ranks",
    "has_motion": False,
    "variant_id": "blind",
}
TRANSCRIPT = "final-of-the-open"


def setting_id(judge: str, task: str = "all") -> str:
    return f"{judge}|{task}"


def response_id(judge: str, at: int) -> str:
    return f"bp-run--{judge}#{at}"


def unread(judge: str, at: int) -> bool:
    return judge == WING and at % 4 == 1


def parliamentary_rows(strange: str = "") -> Iterator[Row]:
    """Yield rows of debates, answers and every mart made from them, and of transcripts.

    Args:
        strange: Stands wherever strangers can write, unless empty.
    """
    random = np.random.default_rng(7)
    yield (
        "dim_dataset",
        {
            "dataset_id": DATASET,
            "is_sample": True,
            "licence": "Apache-2.0",
            "title": strange or "Sample parliamentary debates",
            "citation": "Made up",
            "item_count": 8 * DEBATES,
            "debate_count": DEBATES,
            "annotator_count": 0,
            "rating_count": 0,
            "quarantined_count": 0,
            "loaded_at": NOON,
        },
    )
    for at in range(DEBATES):
        yield from _debate(at, strange)
    official = [np.round(random.normal(79, 2.5, 8) * 2) / 2 for _ in range(DEBATES)]
    for judge, (spread, leaning) in JUDGES.items():
        yield from _setting(judge)
        for at in range(DEBATES):
            lean = np.array([leaning * (HOUSE_OF[role] in ("og", "oo")) for role in ROLES])
            given = np.clip(np.round(official[at] + lean + random.normal(0, spread, 8)), 50, 100)
            yield from _answer(judge, at, official[at], given, strange)
        yield from _marts(judge, spread, strange)
    yield from _without_motion()
    yield from _guesses()
    for status, reason, row in (
        ("matched", "the only row of this title", 1),
        ("ambiguous", "two rows, two results", 2),
        ("missing", "no row of this title", 3),
    ):
        yield (
            "rpt_bp_transcript_match",
            {
                "dataset_id": DATASET,
                "match_order": row,
                "transcript": strange or f"Round {row}",
                "result_row": strange or f"Open, round {row}",
                "status": status,
                "reason": reason,
                "candidates": None,
                "is_judged": row == 1,
                "status_count": 1,
                "n_rows": 3,
                "debate_id": _debate_id(row),
            },
        )


def _debate_id(at: int) -> str:
    return f"{DATASET}:{at:02d}"


def _debate(at: int, strange: str) -> Iterator[Row]:
    debate = _debate_id(at)
    removed = at == DEBATES - 1
    motion = strange or f"This house would try idea number {at}"
    yield (
        "dim_parliamentary_debate",
        {
            "debate_id": debate,
            "dataset_id": DATASET,
            "is_sample": True,
            "motion": motion,
            "info_slide": strange or "An idea is a thought.",
            "tournament": strange or "Sample Open",
            "round": f"Round {at}",
            "room": None,
            "is_contentious": at % 2 == 0,
            "speech_count": 8,
            "word_count": 1600,
            "panel_size": 3,
            "ballot_count": 0,
            "has_house_ranks": not removed,
            "score_count": 8,
            "is_judged": not removed,
            "removal_rule": "one_result" if removed else None,
            "removal_reason": "two results contradict each other" if removed else None,
        },
    )
    for order, role in enumerate(ROLES, start=1):
        yield (
            "dim_item",
            {
                "item_id": f"{debate}/{role}",
                "dataset_id": DATASET,
                "debate_id": debate,
                "motion": motion,
                "speech_order": order,
                "round": role.upper(),
                "speaker": strange or f"Speaker {order}",
                "source": "sample",
                "is_sample": True,
                "text": strange or f"As {role} I say {order}. " + "We stand for this. " * 40,
                "word_count": 200,
            },
        )


def _setting(judge: str) -> Iterator[Row]:
    lost = sum(unread(judge, at) for at in range(DEBATES))
    yield (
        "dim_adjudication_setting",
        {
            "setting_id": setting_id(judge),
            "judge_id": judge,
            "dataset_id": DATASET,
            **WAY,
            "wording": "equivalent",
            "experiments": "bp-adjudication",
            "debate_count": DEBATES,
            "request_count": DEBATES,
            "superseded_count": 0,
            "stale_count": 0,
            "parsed_count": DEBATES - lost,
            "partly_count": 0,
            "unparsed_count": lost,
            "unanswered_count": 0,
        },
    )
    yield "dim_judge", {"judge_id": judge, "judge_kind": "simulated"}


def _ranks(values: np.ndarray) -> list[int]:
    return [int(one) for one in (-values).argsort(kind="stable").argsort(kind="stable") + 1]


def _answer(
    judge: str, at: int, official: np.ndarray, given: np.ndarray, strange: str
) -> Iterator[Row]:
    debate, lost = _debate_id(at), unread(judge, at)
    keys = {
        "response_id": response_id(judge, at),
        "setting_id": setting_id(judge),
        "debate_id": debate,
        "sample": 0,
    }
    about = {
        "run_id": "bp-run",
        "judge_id": judge,
        "request_status": "answered",
        "parse_status": "unparsed" if lost else "parsed",
        "parse_reason": "not_a_ranking" if lost else None,
        "answer_status": "unparsed" if lost else "parsed",
    }
    yield (
        "fct_adjudication",
        {
            **keys,
            **about,
            **WAY,
            "dataset_id": DATASET,
            "named_order": "og-oo-cg-co",
            "faults": (strange or "not_a_ranking") if lost else None,
            "fault_count": int(lost),
            "context_tokens": 2400 + at,
            "is_context_exact": False,
            "answered_at": NOON,
        },
    )
    words = "I would rather not." if lost else f"First: OG\nPM: {given[0]:g}"
    yield (
        "dim_response",
        {
            **keys,
            **about,
            "answer_kind": "adjudication",
            "template": WAY["template"],
            "request_id": str(at),
            "response": strange or words,
            "answered_at": NOON,
        },
    )
    sums = {
        name: np.array(
            [
                sum(values[i] for i, role in enumerate(ROLES) if HOUSE_OF[role] == house)
                for house in HOUSES
            ]
        )
        for name, values in (("official", official), ("given", given))
    }
    tasks: tuple[tuple[str, tuple[str, ...], Any, Any], ...] = (
        ("house_ranks", HOUSES, _ranks(sums["official"]), _ranks(sums["given"])),
        ("speaker_scores", ROLES, official, given),
        ("speaker_ranks", ROLES, _ranks(official), _ranks(given)),
    )
    for task, places, truth, said in tasks:
        for place, true, value in zip(places, truth, said, strict=True):
            yield (
                "fct_adjudication_value",
                {
                    **keys,
                    "task": task,
                    "place": place,
                    "house": HOUSE_OF.get(place, place),
                    "predicted": None if lost else float(value),
                    "official": float(true),
                    "reason": "not_a_ranking" if lost else None,
                    "difference": None if lost else float(value) - float(true),
                },
            )


def _measure(judge: str, name: str, value: float, chance: float) -> dict[str, Any]:
    lost = sum(unread(judge, at) for at in range(DEBATES))
    half = abs(value) * 0.2 + 0.02
    return {
        "setting_id": setting_id(judge),
        "judge_id": judge,
        "dataset_id": DATASET,
        **WAY,
        "measure": name,
        "value": value,
        "value_low": value - half,
        "value_high": value + half,
        "better": "lower" if name in LOWER else "higher",
        "n_units": DEBATES - lost,
        "n_undefined": 0,
        "n_answers": DEBATES,
        "n_values": 4 * (DEBATES - lost),
        "missing_count": 4 * lost,
        "failed_count": lost,
        "without_official_count": 0,
        "value_if_best": value * 0.8 if lost else value,
        "value_if_worst": value * 1.3 if lost else value,
        "by_chance": chance,
        "minus_chance": value - chance,
        "minus_chance_low": value - chance - half,
        "minus_chance_high": value - chance + half,
    }


def _marts(judge: str, spread: float, strange: str) -> Iterator[Row]:
    keys = {"setting_id": setting_id(judge), "judge_id": judge, "dataset_id": DATASET, **WAY}
    closeness = spread / 5
    for name, chance in VERDICT.items():
        best = 0.0 if name in LOWER else 1.0
        value = best + (chance - best) * closeness
        yield "rpt_bp_verdict", _measure(judge, name, value, chance)
        of_eight = chance * {5.0: 4.2, 1.25: 2.1}.get(chance, 1)
        value = best + (of_eight - best) * closeness
        yield "rpt_bp_speaker_ranks", _measure(judge, name, value, of_eight)
    for name, value, chance in (
        ("mae", spread, 14.1),
        ("rmse", spread * 1.3, 17.0),
        ("correlation", 1 - closeness, 0.0),
        ("calibration_slope", 0.6, 0.0),
    ):
        yield "rpt_bp_speaker_scores", _measure(judge, name, value, chance)
    if judge == WING:
        yield (
            "rpt_bp_speaker_scores",
            {
                **_measure(judge, "correlation_between", 0.0, 0.0),
                "value": None,
                "value_low": None,
                "value_high": None,
                "null_reason": strange or "all debates have one mean",
            },
        )
        yield (
            "rpt_bp_faults",
            {
                **keys,
                "fault_task": "house_ranks",
                "fault": "not_a_ranking",
                "n": 3,
                "share": 0.25,
                "share_low": 0.09,
                "share_high": 0.53,
                "n_units": DEBATES,
                "n_answers": DEBATES,
                "example_response_id": response_id(judge, 1),
                "example_detail": strange or "neither house nor rank",
            },
        )
    yield (
        "rpt_bp_faults",
        {
            **keys,
            "fault_task": "speaker_ranks",
            "fault": "ranks_contradict_scores",
            "n": 2,
            "share": 1 / 6,
            "share_low": 0.05,
            "share_high": 0.45,
            "n_units": DEBATES,
            "n_answers": DEBATES,
            "example_response_id": response_id(judge, 2),
            "example_detail": strange or "PM above LO with a lower score",
        },
    )
    for points in range(11):
        yield (
            "rpt_bp_tolerance",
            {
                **keys,
                "tolerance": points,
                "share": 1 - 0.9 * np.exp(-points / spread),
                "share_low": max(0.0, 0.92 - 0.9 * np.exp(-points / spread)),
                "share_high": min(1.0, 1.05 - 0.9 * np.exp(-points / spread)),
                "n_units": DEBATES,
                "n_answers": DEBATES,
                "n_values": 8 * DEBATES,
                "missing_count": 0,
                "always_mean_share": 1 - 0.92 * np.exp(-points / 2.4),
                "speaking_order_share": 1 - 0.93 * np.exp(-points / 2.2),
            },
        )
    for official in range(1, 5):
        for predicted in range(1, 5):
            share = max(0.0, 0.25 + (0.45 if official == predicted else -0.15) * (1 - closeness))
            yield (
                "rpt_bp_house_confusion",
                {
                    **keys,
                    "official_rank": official,
                    "predicted_rank": predicted,
                    "share": share,
                    "share_low": share * 0.6,
                    "share_high": min(1, share * 1.4),
                    "n": round(share * DEBATES),
                    "n_units": DEBATES,
                    "n_answers": DEBATES,
                },
            )
    yield from _effects(judge, keys)


def _effects(judge: str, keys: dict[str, Any]) -> Iterator[Row]:
    shared = {"family_id": judge, "n_units": DEBATES, "n_answers": DEBATES, "left_out_count": 0}
    for outcome, size in (("speaker_score", 3.0), ("house_rank", 0.8)):
        for effect, contrast, part in (
            ("opening_half", "opening half - closing half", 1.0),
            ("government", "government - opposition", 0.1),
            ("late_speaker", "per place in speaking order", -0.05),
        ):
            moved = judge == OPENING and effect == "opening_half"
            value = size * part * (1 if moved else 0.1)
            yield (
                "rpt_bp_bias",
                {
                    **keys,
                    **shared,
                    "effect": effect,
                    "outcome": outcome,
                    "contrast": contrast,
                    "estimate": value,
                    "estimate_low": value - 0.4,
                    "estimate_high": value + 0.4,
                    "statistic": value * 5,
                    "df": 11.0,
                    "p": 0.0002 if moved else 0.4,
                    "p_adjusted": 0.001 if moved else 0.6,
                    "is_significant": moved,
                    "finding": f"{judge} favours it by {value:g}",
                },
            )
    yield (
        "rpt_bp_bias",
        {
            **keys,
            **shared,
            "setting_id": None,
            "house_order": None,
            "effect": "named_first",
            "outcome": "house_rank",
            "contrast": "named first - named last",
            "n_units": 0,
            "finding": "not known",
            "null_reason": "the houses were named in one order only",
        },
    )
    level = JUDGES[judge][0]
    for measure in ("score_error", "house_rank_difference"):
        for at in range(4):
            yield (
                "rpt_context_length",
                {
                    **keys,
                    "measure": measure,
                    "part": "bin" if at else "slope",
                    "bin": at,
                    "tokens_low": 2300.0 + 30 * at,
                    "tokens_mean": 2310.0 + 30 * at,
                    "tokens_high": 2325.0 + 30 * at,
                    "tokens_kind": "estimated",
                    "value": level + at / 10,
                    "value_low": level + at / 10 - 0.3,
                    "value_high": level + at / 10 + 0.3,
                    "n_units": 4 if at else DEBATES,
                    "n_answers": 4,
                    "unreadable_count": 0,
                    "no_tokens_count": 0,
                },
            )


def _without_motion() -> Iterator[Row]:
    keys = {
        "setting_id": setting_id(CHAIR, "house_ranks"),
        "judge_id": CHAIR,
        "dataset_id": DATASET,
        **BLIND,
    }
    yield (
        "dim_adjudication_setting",
        {
            **keys,
            "wording": "equivalent",
            "debate_count": 4,
            "request_count": 4,
            "superseded_count": 0,
            "stale_count": 0,
            "parsed_count": 4,
            "partly_count": 0,
            "unparsed_count": 0,
            "unanswered_count": 0,
        },
    )
    yield (
        "rpt_bp_verdict",
        {
            **_measure(CHAIR, "mean_rank_difference", 1.5, 1.25),
            **keys,
            "n_units": 4,
            "n_answers": 4,
            "value_low": None,
            "value_high": None,
            "minus_chance_low": None,
            "minus_chance_high": None,
            "null_reason": "4 debates, and an interval needs 5",
        },
    )


def _guesses() -> Iterator[Row]:
    for task, baseline, measure, value in (
        ("house_ranks", "uniform_random", "mean_rank_difference", 1.25),
        ("house_ranks", "speaking_order", "mean_rank_difference", 1.1),
        ("house_ranks", "human_adjudicator", "mean_rank_difference", 0.4),
        ("speaker_scores", "uniform_random", "mae", 14.1),
        ("speaker_scores", "always_mean", "mae", 2.04),
        ("speaker_scores", "speaking_order", "mae", 1.93),
        ("speaker_ranks", "uniform_random", "mean_rank_difference", 2.61),
        ("speaker_ranks", "speaking_order", "mean_rank_difference", 2.4),
    ):
        for setting in (None, *map(setting_id, JUDGES)):
            # All debates with a result are more than any judge was read on.
            shown = value if setting else value + 0.5
            yield (
                "rpt_bp_guessing",
                {
                    "dataset_id": DATASET,
                    "setting_id": setting,
                    "task": task,
                    "baseline": baseline,
                    "measure": measure,
                    "value": shown,
                    "value_low": shown * 0.9,
                    "value_high": shown * 1.1,
                    "better": "lower",
                    "n_units": DEBATES + (0 if setting else 2),
                    "n_undefined": 0,
                    "n_answers": DEBATES,
                },
            )


def transcript_rows(strange: str = "") -> Iterator[Row]:
    """Yield a transcript that waits, one that was verified, and one with a speech missing.

    Args:
        strange: Stands wherever strangers can write, unless empty.
    """
    for name, status, roles in (
        (TRANSCRIPT, "waiting", ROLES),
        ("semi-final", "verified", ROLES),
        ("quarter-final", "incomplete", ROLES[:-1]),
    ):
        missing = len(roles) < len(ROLES)
        yield (
            "rpt_transcript_queue",
            {
                "transcript_id": name,
                "dataset_id": "transcripts",
                "title": strange or name.replace("-", " ").capitalize(),
                "motion": strange or "This house would listen twice",
                "info_slide": None,
                "origin": "audio",
                "transcriber": "local/whisper-tiny",
                "corrector": "lab/editor",
                "segmenter": "tags",
                "status": status,
                "reason": (strange or "no speech of the OW was found") if missing else None,
                "word_error_rate": 0.042,
                "max_word_error_rate": 0.1,
                "segment_count": len(roles),
                "role_count": len(roles),
                "kept_count": len(roles) - 1,
                "reverted_count": 1,
                "raw_count": 0,
                "edited_count": 0,
                "word_count": 120,
                "verified_by": (strange or "Ada") if status == "verified" else None,
                "verified_at": NOON if status == "verified" else None,
            },
        )
        for position, role in enumerate(roles, start=1):
            raw = strange or f"madam speaker we propose that {role} is write about this"
            right = strange or f"Madam Speaker, we propose that {role} is right about this."
            kept = position != 2
            yield (
                "dim_transcript_segment",
                {
                    "transcript_id": name,
                    "dataset_id": "transcripts",
                    "position": position,
                    "role": role,
                    "house": HOUSE_OF[role],
                    "speaker": strange or None,
                    "start_s": 420.0 * (position - 1),
                    "end_s": 420.0 * position,
                    "raw_text": raw,
                    "corrected_text": right,
                    "current_text": right if kept else raw,
                    "verified_text": right if status == "verified" else None,
                    "word_error_rate": 0.1 if kept else 0.4,
                    "changed_words": 1 if kept else 4,
                    "word_count": 10,
                    "status": "kept" if kept else "reverted",
                    "reason": None if kept else (strange or "over the limit of 0.1"),
                },
            )
