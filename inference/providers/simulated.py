"""Families of simulated judges: their settings, and the presets that plant a habit.

The modules in `inference/judges/simulated` explain the numbers.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from inference.providers.base import Family, Seed, Settings, Share


class _Simulated(Settings):
    failure_rate: Share = 0.0
    seed: Seed = 1


class _Scores(_Simulated):
    slope: float = 1.0
    shift: float = Field(0.0, description="scale points")
    noise_sd: float = Field(0.5, ge=0, description="scale points")
    justification: bool = False


class _Verdicts(_Simulated):
    ability: float = Field(1.5, description="log-odds")
    position: float = Field(0.0, description="log-odds")
    label: float = Field(0.0, description="log-odds")
    order: float = Field(0.0, description="log-odds")
    stance: float = Field(0.0, description="log-odds")
    length: float = Field(0.0, description="log-odds per doubling of the words")
    debate_sd: float = Field(0.5, ge=0, description="log-odds")
    probabilities: bool = True
    # Of verdicts under pressure. Not set by default, so that older judges keep their identity.
    pliability: Share | None = None
    by_reason: Share | None = None
    by_flattery: Share | None = None
    by_authority: Share | None = None
    by_argument: Share | None = None
    discernment: Share | None = None
    wavering: Share | None = None


class _Answering(_Simulated):
    viewpoints: float = Field(2.0, ge=0, description="points of view")
    viewpoints_sd: float = Field(0.5, ge=0, description="points of view")
    prompt_gain: float = Field(1.0, description="points of view")
    retrieval_gain: float = Field(1.0, description="points of view")
    acknowledgement: Share = 0.5
    detail: int = Field(2, ge=0, description="sentences to explain each point of view")
    padding: int = Field(0, ge=0, description="sentences without content")


class _AnswerScores(_Simulated):
    hit_rate: Share = 0.95
    false_alarm_rate: Share = 0.05
    noise_sd: float = Field(0.5, ge=0, description="scale points")
    shift: float = Field(0.0, description="scale points")


class _Adjudications(_Simulated):
    slope: float = 1.0
    shift: float = Field(0.0, description="points")
    opening: float = Field(0.0, description="points of the opening half over the closing one")
    government: float = Field(0.0, description="points of the government over the opposition")
    late: float = Field(0.0, description="points per place in speaking order")
    words: float = Field(0.0, description="points per 100 words")
    named: float = Field(0.0, description="points of the house named first over the last")
    noise_sd: float = Field(1.0, ge=0, description="points")
    coherence: Share = 1.0


class _Debating(_Simulated):
    arguments: float = Field(3.0, ge=0, description="arguments")
    verified: Share = 0.9
    truth: float = Field(1.0, description="arguments of the right side over the wrong one")
    concession_rate: Share = 0.0


class _Judgements(_Simulated):
    naive: float = Field(0.2, ge=0, description="evidence in log-odds")
    expertise: float = Field(4.0, ge=0, description="evidence in log-odds")
    insight: float = Field(0.5, ge=0, description="evidence in log-odds per round")
    per_verified: float = Field(0.1, description="log-odds per verified quote")
    per_unverified: float = Field(0.0, description="log-odds per unverified quote")
    wordiness: float = Field(0.0, description="log-odds per doubling of the words")
    first_shown: float = Field(0.0, description="log-odds")


class _Writing(_Simulated):
    moves: float = Field(3.0, ge=0, description="moves of an opening speech, from 0 to 4")
    moves_sd: float = Field(0.5, ge=0, description="moves")
    speech_words: int = Field(350, ge=50)
    headings: bool = False
    untagged_rate: Share = 0.0


def _family(
    judge: str,
    judged: tuple[str, ...],
    settings: type[Settings],
    presets: Mapping[str, Mapping[str, Any]],
) -> Family:
    path = f"inference.judges.simulated.{judge}"
    return Family(path, judged, settings, presets, needs_entry=True)


FAMILIES = (
    _family(
        "speeches.SimulatedJudge",
        ("speech",),
        _Scores,
        {
            "faithful": {},
            "harsh": {"shift": -1.0},
            "noisy": {"noise_sd": 1.5},
            "careless": {"failure_rate": 0.08},
            "coin": {"slope": 0.0, "noise_sd": 1.2},
        },
    ),
    _family(
        "debates.SimulatedDebateJudge",
        ("debate", "pressure"),
        _Verdicts,
        {
            "fair": {"ability": 1.5},
            "second-position": {"ability": 1.5, "position": 1.5},
            "second-label": {"ability": 1.5, "label": 1.5},
            "closing-side": {"ability": 1.5, "order": 1.5},
            "long-winded": {"ability": 1.5, "length": 1.5},
            "stance": {"ability": 1.5, "stance": 1.0},
            "undecided": {"ability": 0.0, "debate_sd": 0.0},
        },
    ),
    _family(
        "answers.SimulatedAnswerer",
        ("question",),
        _Answering,
        {
            "even-handed": {"viewpoints": 3.0, "acknowledgement": 0.9},
            "one-sided": {"viewpoints": 1.0, "acknowledgement": 0.1},
            "brief": {"detail": 0},
            "padded": {"viewpoints": 1.5, "acknowledgement": 0.7, "padding": 8},
            "reluctant": {"failure_rate": 0.2},
        },
    ),
    _family(
        "answers.SimulatedReader",
        ("answer",),
        _AnswerScores,
        {
            "attentive": {},
            "credulous": {"false_alarm_rate": 0.8, "shift": 1.0},
            "inattentive": {
                "hit_rate": 0.7,
                "false_alarm_rate": 0.2,
                "noise_sd": 1.5,
                "failure_rate": 0.05,
            },
        },
    ),
    _family(
        "adjudicators.SimulatedAdjudicator",
        ("parliamentary",),
        _Adjudications,
        {
            "chair": {},
            "opening-house": {"opening": 3.0},
            # The sample has six debates, and with this seed it fails at some.
            "wing": {"noise_sd": 2.5, "coherence": 0.5, "failure_rate": 0.2, "seed": 2},
            "flat": {"slope": 0.1, "noise_sd": 0.3},
        },
    ),
    _family(
        "oversight.SimulatedDebater",
        ("transcript",),
        _Debating,
        {
            "debater-strong": {"arguments": 4.0, "verified": 0.95},
            "debater-weak": {"arguments": 2.0, "verified": 0.6},
            "debater-conceding": {"concession_rate": 0.4},
            "debater-misquoting": {"verified": 0.1},
        },
    ),
    _family(
        "oversight.SimulatedOversightJudge",
        ("reading", "oversight"),
        _Judgements,
        {
            "oversight-calibrated": {},
            "oversight-credulous": {"per_verified": 0.4, "per_unverified": 0.4},
            "oversight-verbose": {"wordiness": 2.0, "failure_rate": 0.03},
            "oversight-first": {"first_shown": 1.5},
        },
    ),
    _family(
        "speeches.SimulatedSpeaker",
        ("writing",),
        _Writing,
        {
            "speaker-skilled": {"moves": 4.0, "moves_sd": 0.3},
            "speaker-plain": {"moves": 1.5},
            "speaker-long-winded": {"moves": 3.5, "speech_words": 750, "headings": True},
            "speaker-reluctant": {"moves": 2.0, "failure_rate": 0.15, "untagged_rate": 0.1},
        },
    ),
)
