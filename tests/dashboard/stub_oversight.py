"""Made-up debates about stories, judgements of them, and what is measured by both.

Shares and intervals are invented. Among them on purpose: a debater that never lost, a judge whose
expert is no better than its naive self, a reply that cannot be read, a room of people without a
story, a transcript that was not finished, and a candidate that was not chosen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from stub_oversight_marts import DATASET, EASY, JUDGES, ROOMS, SOUND, STRONG, accuracy_rows
from stub_rows import NOON, Row

FAIR, WEAK = "lab/advocate-8b", "simulated/debater-plain"
DEBATERS = (STRONG, FAIR, WEAK)
STORY = (
    "The lamp in the harbour went out at nine.\n\nNobody saw who had climbed the tower. Mara said "
    "she had been mending nets.\n\nHer hands smelled of oil in the morning, and she laughed."
)
QUOTE = "Her hands smelled of oil"
FIELD = "field-of-three"
SETTING = {
    "field_id": FIELD,
    "dataset_id": DATASET,
    "judge_id": SOUND,
    "judge_template": "ov_judge",
    "debater_template": "ov_debater",
    "turn_order": "simultaneous",
    "is_interactive": False,
    "round_count": 3,
    "word_limit": 150,
    "best_of": 2,
    "preference_judge_id": "lab/taste",
    "refine_count": 0,
    "asked_for": "probability",
    "failed_count": 0,
    "debate_setting": "ov_debater, simultaneous, 3 rounds, 150 words, best of 2",
}


def question_id(at: int) -> str:
    return f"{DATASET}:q{at}"


def transcript_id(at: int) -> str:
    return f"{question_id(at)}@0a1b"


def room_id() -> str:
    return f"{ROOMS}:room-1"


def oversight_rows(strange: str = "") -> Iterator[Row]:
    """Yield rows of stories, transcripts, judgements and every mart made from them.

    Args:
        strange: Stands wherever strangers can write, unless empty.
    """
    for dataset, is_sample in ((DATASET, True), (ROOMS, False)):
        yield (
            "dim_dataset",
            {
                "dataset_id": dataset,
                "is_sample": is_sample,
                "licence": "Apache-2.0",
                "title": strange or f"Title of {dataset}",
                "citation": "Made up",
                "item_count": 12,
                "debate_count": 12,
                "annotator_count": 0,
                "rating_count": 0,
                "quarantined_count": 0,
                "loaded_at": NOON,
            },
        )
    for judge in (*JUDGES, *DEBATERS):
        yield "dim_judge", {"judge_id": judge, "judge_kind": "simulated"}
    for at in range(6):
        yield from _question(at, strange)
        yield from _transcript(at, strange)
    yield from _room(strange)
    yield from _ratings(strange)
    yield from accuracy_rows(strange)


def _question(at: int, strange: str) -> Iterator[Row]:
    story = f"{DATASET}:s{at}"
    yield (
        "dim_story",
        {
            "story_id": story,
            "dataset_id": DATASET,
            "title": strange or f"The lamp, part {at}",
            "author": strange or None,
            "text": f"{strange}\n\n{STORY}" if strange else STORY,
            "word_count": 36,
            "question_count": 1,
        },
    )
    yield (
        "dim_reading_question",
        {
            "question_id": question_id(at),
            "dataset_id": DATASET,
            "story_id": story,
            **_asked(at, strange),
            "is_kept": True,
        },
    )


def _asked(at: int, strange: str) -> dict[str, Any]:
    return {
        "question": strange or f"Who put out the lamp of part {at}?",
        "answer_0": strange or "Mara",
        "answer_1": strange or "The wind",
        "right_answer": 0,
    }


def _transcript(at: int, strange: str) -> Iterator[Row]:
    consultancy, void = at == 4, at == 5
    keys = {"transcript_id": transcript_id(at)}
    yield (
        "dim_oversight_transcript",
        {
            **keys,
            "dataset_id": DATASET,
            "source": "model",
            "question_id": question_id(at),
            "cluster_id": f"{DATASET}:s{at}",
            **_asked(at, strange),
            "protocol": "consultancy" if consultancy else "debate",
            "turn_order": "simultaneous",
            "is_interactive": False,
            "round_count": 2,
            "argued_answer": 1 if consultancy else None,
            "debater_kind": "model",
            "debater": STRONG,
            "debater_0": None if consultancy else STRONG,
            "debater_1": None if consultancy else STRONG,
            "is_self_play": True,
            "debate_setting": "ov_debater, simultaneous",
            "best_of": 2,
            "preference_judge_id": "lab/taste",
            "refine_count": 0,
            "word_limit": 150,
            "status": "void" if void else "complete",
            "reason": (strange or "the endpoint died") if void else None,
            "cost_usd": 0.0123,
            "is_stale": False,
            "is_honest": False if consultancy else None,
            "turn_count": 4,
            "word_count_0": 24,
            "word_count_1": 24,
        },
    )
    if void:
        return
    for turn in range(1, 5):
        side = 1 if consultancy else (turn - 1) % 2
        told = strange or f"I say {turn}."
        quoted = (
            f"<v_quote>{QUOTE}</v_quote>"
            if side == 0
            else (f"<u_quote>{strange or 'The wind did it'}</u_quote>")
        )
        yield (
            "dim_oversight_turn",
            {
                **keys,
                "turn": turn,
                "round": (turn + 1) // 2,
                "speaker": f"debater_{side}",
                "argued_answer": side,
                "model_id": STRONG,
                "candidate": 0,
                "is_chosen": True,
                "text": told,
                "shown_text": f"{told} {quoted}",
                "word_count": 12,
                "rejected_count": int(turn == 2),
                "is_truncated": turn == 2,
                "is_concession": False,
                "argues_other_side": False,
                "is_malformed": False,
                "preference": 0.7,
                "cost_usd": 0.002,
                "quote_count": 1,
                "verified_count": 1 - side,
                "quotes": json.dumps([_quote(side, strange)]),
            },
        )
    yield (
        "dim_oversight_turn",
        {
            **keys,
            "turn": 1,
            "round": 1,
            "speaker": "debater_0",
            "argued_answer": 0,
            "model_id": STRONG,
            "candidate": 1,
            "is_chosen": False,
            "text": "Worse.",
            "shown_text": strange or "A worse way to say it.",
            "word_count": 6,
            "rejected_count": 0,
            "is_truncated": False,
            "preference": 0.4,
            "cost_usd": 0.002,
        },
    )
    for judge in JUDGES:
        yield from _judgements(at, judge, strange)


def _quote(side: int, strange: str) -> dict[str, Any]:
    if side:
        return {
            "position": 0,
            "quote": strange or "The wind did it",
            "is_verified": False,
            "similarity": 0.41,
            "story_start": None,
            "story_end": None,
        }
    start = _at(strange)
    return {
        "position": 0,
        "quote": QUOTE,
        "is_verified": True,
        "similarity": 1.0,
        "story_start": start,
        "story_end": start + len(QUOTE),
    }


def _at(strange: str) -> int:
    return STORY.index(QUOTE) + (len(strange) + 2 if strange else 0)


def response_id(at: int, judge: str, step: int, order: str) -> str:
    return f"ov-run--{judge}#{at}-{step}-{order}"


def _judgements(at: int, judge: str, strange: str) -> Iterator[Row]:
    for step in (1, 2):
        lean = 0.5 + (0.12 if judge == SOUND else -0.08) * step
        for order, p in (("01", lean + 0.05), ("10", lean - 0.05), ("both", lean)):
            lost = judge == EASY and at == 1 and order != "01"
            value = None if lost else p
            key = response_id(at, judge, step, order)
            yield (
                "fct_oversight_judgement",
                {
                    **_judged(key, judge, transcript_id(at), value),
                    "source": "model",
                    "dataset_id": DATASET,
                    "question_id": question_id(at),
                    "cluster_id": f"{DATASET}:s{at}",
                    "step": step,
                    "is_final": step == 2,
                    "answer_order": order,
                    "is_main_order": order == "both",
                    "mode": "read",
                    "template": "ov_judge",
                    "is_human": False,
                    "debater": STRONG,
                    "reply": None
                    if order == "both"
                    else (strange or f"Probability that A is right: {p:g}"),
                    "judged_at": NOON,
                },
            )


def _judged(key: str, judge: str, transcript: str, p: float | None) -> dict[str, Any]:
    return {
        "judgement_id": key,
        "judge_id": judge,
        "transcript_id": transcript,
        "protocol": "debate",
        "asked_for": "probability",
        "sample": 0,
        "probe": "none",
        "right_answer": 0,
        "p_answer_0": p,
        "p_right": p,
        "is_tie": None if p is None else p == 0.5,
        "right_score": None if p is None else float(p > 0.5),
        "answer_status": "unparsed" if p is None else "parsed",
        "debater_kind": "model",
        "debate_setting": "ov_debater, simultaneous",
        "is_interactive": False,
    }


def _room(strange: str) -> Iterator[Row]:
    keys = {"transcript_id": room_id()}
    yield (
        "dim_oversight_transcript",
        {
            **keys,
            "dataset_id": ROOMS,
            "source": "room",
            "question_id": f"{ROOMS}:q",
            "cluster_id": f"{ROOMS}:story 1",
            **_asked(9, strange),
            "protocol": "debate",
            "turn_order": "as it went",
            "is_interactive": True,
            "round_count": 1,
            "debater_kind": "human",
            "debater": "human",
            "is_self_play": True,
            "debate_setting": "as it went",
            "status": "complete",
            "live_judge_count": 1,
            "is_stale": False,
            "turn_count": 2,
            "word_count_0": 4,
            "word_count_1": 4,
        },
    )
    for turn, side in ((1, 0), (2, 1)):
        yield (
            "dim_oversight_turn",
            {
                **keys,
                "turn": turn,
                "round": 1,
                "speaker": strange or f"debater_{side}",
                "argued_answer": side,
                "candidate": 0,
                "is_chosen": True,
                "text": "As copied.",
                "shown_text": strange or "As copied: <quote>the lamp</quote>",
                "word_count": 4,
            },
        )
    for step, p in ((0, 0.5), (1, 0.9)):
        yield (
            "fct_oversight_judgement",
            {
                **_judged(f"{room_id()}#{step}", f"{ROOMS}:Ada", room_id(), p),
                "source": "person",
                "dataset_id": ROOMS,
                "question_id": f"{ROOMS}:q",
                "cluster_id": f"{ROOMS}:story 1",
                "step": step,
                "is_final": step == 1,
                "answer_order": "shown",
                "is_main_order": True,
                "mode": "live",
                "template": "people",
                "is_human": True,
                "debater": "human",
            },
        )


def _ratings(strange: str) -> Iterator[Row]:
    for place, (debater, rating) in enumerate(zip(DEBATERS, (1710.0, 1520.0, 1270.0), strict=True)):
        unbeaten = debater == STRONG
        for argued, shift in (("both", 0), ("right", 60), ("wrong", -60)):
            yield (
                "rpt_debater_rating",
                {
                    **SETTING,
                    "debater_id": debater,
                    "argued": argued,
                    "rating": rating + shift,
                    "rating_low": rating + shift - 80,
                    "rating_high": rating + shift + 90,
                    "rating_se": 42.0,
                    "rating_rank": place + 1,
                    "win_share": 1 - 0.4 * place,
                    "n_opponents": 2,
                    "n_units": 6,
                    "n_questions": 6,
                    "n_contests": 12,
                    "component": 1,
                    "n_components": 1,
                    "is_separated": unbeaten,
                    "n_replicates": 1000,
                    "separated_share": 0.3,
                },
            )
        yield (
            "rpt_rating_accuracy",
            {
                **SETTING,
                "debater_id": debater,
                "rating": rating,
                "rating_low": rating - 80,
                "rating_high": rating + 90,
                "rating_se": 42.0,
                "accuracy": 0.8 - 0.1 * place,
                "accuracy_low": 0.6 - 0.1 * place,
                "accuracy_high": 0.95 - 0.1 * place,
                "n_units": 6,
                "n_questions": 6,
                "n_contests": 6,
                "shared_question_count": 0,
                "is_in_slope": True,
            },
        )
        yield (
            "rpt_persuasiveness",
            {
                **SETTING,
                "protocol": "debate",
                "debater_id": debater,
                "win_share": 1 - 0.4 * place,
                "win_share_low": None,
                "win_share_high": None,
                "n_contests": 12,
                **{
                    f"win_share_{side}{end}": 0.5 + shift
                    for side in ("right", "wrong")
                    for end, shift in (("", 0.0), ("_low", -0.2), ("_high", 0.2))
                },
                "n_contests_right": 6,
                "n_contests_wrong": 6,
                "rating": rating,
                "right_minus_wrong": 120.0,
                "right_minus_wrong_low": 20.0,
                "right_minus_wrong_high": 210.0,
                "n_units": 6,
                "n_questions": 6,
            },
        )
        yield (
            "rpt_quote_use",
            {
                "dataset_id": DATASET,
                "debater_id": debater,
                "debater_template": "ov_debater",
                "protocol": "debate",
                "argued": "both",
                "verified_share": 0.9 - 0.2 * place,
                "verified_share_low": 0.7 - 0.2 * place,
                "verified_share_high": 1 - 0.15 * place,
                "quote_count": 40,
                "verified_count": 36 - 8 * place,
                "near_miss_count": 2,
                "mean_similarity": 0.6,
                "repeated_count": 3,
                "quotes_per_turn": 1.5,
                "quoted_words_share": 0.3,
                "verified_words_share": 0.2,
                "mean_words": 120.0,
                "turn_count": 24,
                "turns_without_quote_count": 2,
                "truncated_count": 1,
                "rejected_count": 4,
                "concession_count": place,
                "other_side_count": 0,
                "malformed_count": 0,
                "n_transcripts": 12,
                "n_units": 6,
            },
        )
        yield (
            "rpt_tournament",
            {
                "tournament": strange or "spring-open",
                "dataset_id": DATASET,
                "judge_id": SOUND,
                "tournament_round": 1,
                "debater_id": debater,
                "opponent_id": None if place == 2 else DEBATERS[1 - place],
                "is_bye": place == 2,
                "game_count": 0 if place == 2 else 3,
                "void_count": 1 - place // 2,
                "win_share": None if place == 2 else 1.0 - place,
                "points": (1.0, 0.0, 0.5)[place],
                "points_so_far": (1.0, 0.0, 0.5)[place],
                "is_withdrawn": False,
                "field_id": FIELD,
                "judge_template": "ov_judge",
                "win_share_so_far": None if place == 2 else 1.0 - place,
                "standing": place + 1,
                "null_reason": "bye" if place == 2 else None,
            },
        )
    for outcome, slope in (("judge_accuracy", 0.045), ("right_minus_wrong", 12.0)):
        yield (
            "rpt_rating_slope",
            {
                **SETTING,
                "outcome": outcome,
                "slope": slope,
                "slope_low": slope / 3,
                "slope_high": slope * 2,
                "intercept": 0.71,
                "n_debaters": 3,
                "n_units": 12,
                "n_replicates": 1000,
                "is_separated": True,
            },
        )
    yield (
        "rpt_rating_terms",
        {
            **SETTING,
            "term": "argues_right",
            "points": 90.0,
            "points_low": 20.0,
            "points_high": 160.0,
            "n_units": 6,
            "n_questions": 6,
            "n_contests": 12,
            "is_separated": True,
        },
    )
    yield (
        "rpt_rating_terms",
        {
            **SETTING,
            "term": "shown_first",
            "n_units": 6,
            "n_questions": 6,
            "n_contests": 12,
            "is_separated": True,
            "null_reason": strange or "it never varies",
        },
    )
