"""Made-up debates about stories, with everything a person who judges them must not see."""

from collections.abc import Iterator, Mapping
from typing import Any

from changes import empty, insert

SECRETS = (
    "lab/secret-debater",
    "lab/secret-judge",
    "lab/secret-chooser",
    "Room Judge",
    "Dora Debater",
    "I lean to A by now",
)
TRANSCRIPT, ROOM, ADVICE = "stories:q1@aa11", "rooms:one", "advice:q1@bb22"
ANSWERED = "rooms:two"


Row = tuple[str, Mapping[str, Any]]


def rooms(strange: str = "") -> list[str]:
    """Return statements that leave these debates only to be judged as stories."""
    return [
        *empty("dim_oversight_transcript"),
        *(insert(table, **row) for table, row in _judging_rows(strange)),
    ]


def _judging_rows(strange: str = "") -> Iterator[Row]:
    """A debate and a consultancy of models, two rooms of people, and who judged them."""
    for transcript in (TRANSCRIPT, ADVICE, ROOM, ANSWERED):
        is_model, is_advice = transcript in (TRANSCRIPT, ADVICE), transcript == ADVICE
        dataset = transcript.split(":", maxsplit=1)[0]
        yield (
            "dim_oversight_transcript",
            {
                "transcript_id": transcript,
                "source": "model" if is_model else "room",
                "dataset_id": dataset,
                "question_id": f"{dataset}:q1",
                "cluster_id": f"{dataset}:s",
                "question": strange or "Who hid the key?",
                "answer_0": strange or "The gardener",
                "answer_1": strange or "The cook",
                "right_answer": 1,
                "protocol": "consultancy" if is_advice else "debate",
                "argued_answer": 1 if is_advice else None,
                "debater": "lab/secret-debater",
                "debater_0": None if is_advice else "lab/secret-debater",
                "debater_1": "lab/secret-debater",
                "preference_judge_id": "lab/secret-chooser",
                "status": "complete",
                "is_stale": False,
                "turn_count": 5,
                "round_count": 2,
                "transcript_hash": "whole" if is_model else None,
            },
        )
        if not is_model:
            yield (
                "dim_debate",
                {
                    "debate_id": transcript,
                    "dataset_id": dataset,
                    "motion": "Who hid the key?",
                    "format": "story-debate",
                    "debate_hash": f"hash of {transcript}",
                },
            )
        yield from _turns(transcript, is_model=is_model, strange=strange)
        yield (
            "fct_oversight_judgement",
            {
                "judgement_id": f"{transcript}#1",
                "transcript_id": transcript,
                "judge_id": "lab/secret-judge",
                "p_answer_0": 0.125,
                "p_right": 0.875,
                "right_score": 1.0,
                "is_tie": False,
                "answer_status": "parsed",
                "step": 2,
                "is_final": True,
                "is_main_order": True,
                "probe": "none",
                "answer_order": "shown",
            },
        )
    yield (
        "fct_reader_judgement",
        {
            "judge_id": "rooms:dashboard/Ada",
            "person": "Ada",
            "task": "story",
            "dataset_id": "rooms",
            "item_id": ANSWERED,
            "value": 0.5,
            "is_stale": False,
        },
    )
    yield (
        "rpt_calibration",
        {
            "judge_id": "rooms:dashboard/Ada",
            "dataset_id": "rooms",
            "protocol": "debate",
            "selection": "all",
            "is_main_order": True,
            "is_pooled": False,
            "n_units": 1,
            "accuracy": 0.5,
            "brier": 0.25,
            "ece_answer_0": 0.5,
            "overconfidence": 0.0,
            "reason": "one story has no interval",
        },
    )
    yield (
        "rpt_reader_record",
        {
            "judge_id": "sample:dashboard/Ada",
            "person": "Ada",
            "task": "speech",
            "dataset_id": "sample",
            "dimension": strange or "goodopeningspeech",
            "n_items": 3,
            "stale_count": 1,
            "n_compared": 2,
            "n_units": 2,
            "mean_difference": -0.5,
            "mean_absolute_difference": 0.5,
            "mean_squared_difference": 0.25,
        },
    )


def _turns(
    transcript: str, *, is_model: bool, strange: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    said = [
        (1, "debater_0", strange or "Round one for A. <v_quote>a muddy glove</v_quote> he says."),
        (1, "debater_1", strange or "Round one for B. <u_quote>a floury hand</u_quote> she says."),
        (1, "asker", "Whose glove was it?" if is_model else "I lean to A by now"),
        (2, "debater_0", strange or "Round two for A."),
        (2, "debater_1", strange or "Round two for B."),
    ]
    for turn, (number, speaker, text) in enumerate(said, start=1):
        writer = "lab/secret-debater" if is_model else "Dora Debater"
        for is_chosen in (True, False):
            yield (
                "dim_oversight_turn",
                {
                    "transcript_id": transcript,
                    "turn": turn,
                    "round": number,
                    "speaker": speaker,
                    "model_id": writer if speaker != "asker" else "Room Judge",
                    "is_chosen": is_chosen,
                    "candidate": 0 if is_chosen else 1,
                    "text": text,
                    "shown_text": text if is_chosen else "A discarded version",
                    "word_count": 5,
                    "rejected_count": 0,
                },
            )
