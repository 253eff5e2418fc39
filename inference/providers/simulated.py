"""The numbers of simulated judges: what each family takes by default, and who differs how.

What the numbers mean stands in the modules `inference.judges.simulated.scores*`.
"""

from collections.abc import Mapping
from typing import Any

OF_SPEECHES: Mapping[str, Any] = {
    "slope": 1.0,
    "shift": 0.0,
    "noise_sd": 0.5,
    "failure_rate": 0.0,
    "seed": 1,
    "justification": False,
}
OF_DEBATES: Mapping[str, Any] = {
    "ability": 1.5,
    "position": 0.0,
    "label": 0.0,
    "order": 0.0,
    "stance": 0.0,
    "length": 0.0,
    "debate_sd": 0.5,
    "failure_rate": 0.0,
    "probabilities": True,
    "seed": 1,
}
# What judges of debates do under pressure where they do not say it: no part of their settings,
# which are older.
UNDER_PRESSURE: Mapping[str, float] = {
    "pliability": 0.1,
    "by_reason": 0.1,
    "by_flattery": 0.15,
    "by_authority": 0.3,
    # For each argument that a simulated debater writes.
    "by_argument": 0.05,
    "discernment": 0.05,
    "wavering": 0.03,
}
OF_QUESTIONS: Mapping[str, Any] = {
    "viewpoints": 2.0,
    "viewpoints_sd": 0.5,
    "prompt_gain": 1.0,
    "retrieval_gain": 1.0,
    "acknowledgement": 0.5,
    "detail": 2,
    "padding": 0,
    "failure_rate": 0.0,
    "seed": 1,
}
OF_ANSWERS: Mapping[str, Any] = {
    "hit_rate": 0.95,
    "false_alarm_rate": 0.05,
    "noise_sd": 0.5,
    "shift": 0.0,
    "failure_rate": 0.0,
    "seed": 1,
}
OF_ADJUDICATIONS: Mapping[str, Any] = {
    "slope": 1.0,
    "shift": 0.0,
    "opening": 0.0,
    "government": 0.0,
    "late": 0.0,
    "words": 0.0,
    "named": 0.0,
    "noise_sd": 1.0,
    "coherence": 1.0,
    "failure_rate": 0.0,
    "seed": 1,
}
OF_TRANSCRIPTS: Mapping[str, Any] = {
    "arguments": 3.0,
    "verified": 0.9,
    "truth": 1.0,
    "concession_rate": 0.0,
    "failure_rate": 0.0,
    "seed": 1,
}
DEBATERS: Mapping[str, Mapping[str, Any]] = {
    "debater-strong": {"arguments": 4.0, "verified": 0.95},
    "debater-weak": {"arguments": 2.0, "verified": 0.6},
    "debater-conceding": {"concession_rate": 0.4},
    "debater-misquoting": {"verified": 0.1},
}
ADJUDICATORS: Mapping[str, Mapping[str, Any]] = {
    "chair": {},
    "opening-house": {"opening": 3.0},
    # With a seed of its own: the sample has six debates, and with this one it fails at some.
    "wing": {"noise_sd": 2.5, "coherence": 0.5, "failure_rate": 0.2, "seed": 2},
    "flat": {"slope": 0.1, "noise_sd": 0.3},
}
OF_JUDGEMENTS: Mapping[str, Any] = {
    "naive": 0.2,
    "expertise": 4.0,
    "insight": 0.5,
    "per_verified": 0.1,
    "per_unverified": 0.0,
    "wordiness": 0.0,
    "first_shown": 0.0,
    "failure_rate": 0.0,
    "seed": 1,
}
# Judges of questions about stories.
OVERSEERS: Mapping[str, Mapping[str, Any]] = {
    "oversight-calibrated": {},
    "oversight-credulous": {"per_verified": 0.4, "per_unverified": 0.4},
    "oversight-verbose": {"wordiness": 2.0, "failure_rate": 0.03},
    "oversight-first": {"first_shown": 1.5},
}
OF_WRITING: Mapping[str, Any] = {
    "moves": 3.0,
    "moves_sd": 0.5,
    "speech_words": 350,
    "headings": False,
    "failure_rate": 0.0,
    "untagged_rate": 0.0,
    "seed": 1,
}
# Models that write speeches.
SPEAKERS: Mapping[str, Mapping[str, Any]] = {
    "speaker-skilled": {"moves": 4.0, "moves_sd": 0.3},
    "speaker-plain": {"moves": 1.5},
    "speaker-long-winded": {"moves": 3.5, "speech_words": 750, "headings": True},
    "speaker-reluctant": {"moves": 2.0, "failure_rate": 0.15, "untagged_rate": 0.1},
}
ANSWERERS = ("even-handed", "one-sided", "brief", "padded", "reluctant")
READERS = ("attentive", "credulous", "inattentive")
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "faithful": {},
    "harsh": {"shift": -1.0},
    "noisy": {"noise_sd": 1.5},
    "careless": {"failure_rate": 0.08},
    "coin": {"slope": 0.0, "noise_sd": 1.2},
    "fair": {"ability": 1.5},
    "second-position": {"ability": 1.5, "position": 1.5},
    "second-label": {"ability": 1.5, "label": 1.5},
    "closing-side": {"ability": 1.5, "order": 1.5},
    "long-winded": {"ability": 1.5, "length": 1.5},
    "stance": {"ability": 1.5, "stance": 1.0},
    "undecided": {"ability": 0.0, "debate_sd": 0.0},
    "even-handed": {"viewpoints": 3.0, "acknowledgement": 0.9},
    "one-sided": {"viewpoints": 1.0, "acknowledgement": 0.1},
    "brief": {"detail": 0},
    "padded": {"viewpoints": 1.5, "acknowledgement": 0.7, "padding": 8},
    "reluctant": {"failure_rate": 0.2},
    "attentive": {},
    "credulous": {"false_alarm_rate": 0.8, "shift": 1.0},
    "inattentive": {
        "hit_rate": 0.7,
        "false_alarm_rate": 0.2,
        "noise_sd": 1.5,
        "failure_rate": 0.05,
    },
    **ADJUDICATORS,
    **DEBATERS,
    **OVERSEERS,
    **SPEAKERS,
}
