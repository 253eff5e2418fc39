"""Which human judgements of the llm_debate release are analysed: its exclusions, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from ingestion.oversight.sources.llm_debate import LlmDebateSettings
from ingestion.registry import ANY
from warehouse.records.core import FilterRule, Removal

ONE_SIDED = "one_sided"
_EXPERIMENT = re.compile(r"(?P<number>\d+)(?P<part>[a-z])?(_?(?P<version>v\d+))?", re.IGNORECASE)
# Their candidate arguments were chosen the wrong way round where the answers were swapped.
_WORST_CHOSEN = ("2", "3", "5_v0")


@dataclass(frozen=True)
class Experiment:
    """Which experiment a judgement belongs to.

    Attributes:
        version: A version that was given up, such as `v0`.
    """

    number: str
    version: str | None

    @classmethod
    def of(cls, name: str) -> Experiment | None:
        """Return the experiment a name such as "Experiment 5_v0" or "Experiment 8a" names."""
        match = _EXPERIMENT.search(name)
        return (
            cls(match["number"], match["version"] and match["version"].lower()) if match else None
        )

    @property
    def label(self) -> str:
        """Its number, with the version where it has one."""
        return f"{self.number}_{self.version}" if self.version else self.number


@dataclass(frozen=True)
class Judgement:
    """What the rules look at.

    Attributes:
        is_swapped: Whether the right answer was shown second.
        context_required: How much must be read, 1 to 4; None where it is not said.
        judged_at: When, UTC; None where it is not said.
    """

    experiment: Experiment
    judge: str
    is_swapped: bool
    context_required: float | None
    judged_at: datetime | None


def rules_of(settings: LlmDebateSettings) -> list[FilterRule]:
    """Return the rules in the order they are applied, each with its setting.

    All but the last say which judgements count; the last only which debates other judges may read
    as debates.
    """
    return [
        FilterRule(
            "test_phase_judge",
            "The judge took part in the test phase only.",
            settings.without_judges,
        ),
        FilterRule(
            "worst_argument",
            "A fault chose the worst argument where the answers were swapped.",
            ",".join(_WORST_CHOSEN),
        ),
        FilterRule("preference_model", "Arguments were chosen by a model given up since.", "8_v0"),
        FilterRule(
            "context_required",
            "Too little of the story is needed, in experiment 1.",
            settings.min_context_required,
        ),
        FilterRule("cutoff", "It was judged after the last day of the analysis.", settings.cutoff),
        FilterRule("experiment", "It is of another experiment.", settings.experiments),
        FilterRule(ONE_SIDED, "Fewer than two answers have a debater."),
    ]


def removal_of(judged: Judgement, settings: LlmDebateSettings) -> Removal | None:
    """Return the first rule that a judgement breaks; None when it counts."""
    experiment = judged.experiment
    if judged.judge in _listed(settings.without_judges):
        return Removal("test_phase_judge", f"judge {judged.judge}")
    if judged.is_swapped and experiment.label in _WORST_CHOSEN:
        return Removal("worst_argument", f"experiment {experiment.label}, answers swapped")
    if experiment.label == "8_v0":
        return Removal("preference_model", "experiment 8_v0")
    smallest = settings.min_context_required
    if experiment.number == "1" and smallest != ANY:
        context = judged.context_required
        if context is None or context < float(smallest) - 1e-9:
            shown = "not known" if context is None else f"{context:.4g}"
            return Removal("context_required", f"context required: {shown}")
    if settings.cutoff != ANY:
        if judged.judged_at is None:
            return Removal("cutoff", "judged: not known")
        if judged.judged_at.date().isoformat() > settings.cutoff:
            return Removal("cutoff", f"judged: {judged.judged_at.date()}")
    if settings.experiments != ANY and experiment.number not in _listed(settings.experiments):
        return Removal("experiment", f"experiment {experiment.label}")
    return None


def _listed(value: str) -> list[str]:
    return [] if value == ANY else [each.strip() for each in value.split(",")]
