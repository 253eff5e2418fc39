"""Which of QuALITY's questions are debated: the rules, in order, and their settings.

The defaults are those of the experiments of "Debating with More Persuasive LLMs Leads to More
Truthful Answers" (2024): hard questions with one right answer, which need more of the story than a
reader in a hurry sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ingestion.oversight.sources.quality import QualitySettings
from ingestion.registry import ANY
from warehouse.records.core import FilterRule, Removal
from warehouse.records.oversight import ReadingQuestion

WITHHELD, NO_DISTRACTOR, PER_STORY = "right_answer", "distractor", "per_story"
# Means are quotients of small whole numbers; a user may write two thirds as 0.6667.
_TOLERANCE = 1e-4
_AT_LEAST = {"min_untimed_accuracy", "min_context_required"}


@dataclass(frozen=True)
class Judged:
    """A question with what only the rules look at.

    Attributes:
        has_conflict: Whether its writer's answer is another than the right one; None where one of
            them is not said.
    """

    question: ReadingQuestion
    source: str | None
    has_conflict: bool | None


def rules_of(settings: QualitySettings) -> list[FilterRule]:
    """Return the rules in the order they are applied, each with its setting."""
    return [
        FilterRule(WITHHELD, "The source does not say which answer is right."),
        FilterRule(NO_DISTRACTOR, "No untimed reader names a wrong answer as the most tempting."),
        FilterRule("source", "The story is from another collection.", settings.source),
        FilterRule("difficult", "Readers in a hurry do too well.", settings.difficult),
        FilterRule(
            "max_answerability",
            "Readers find it unclear, or find several answers right.",
            settings.max_answerability,
        ),
        FilterRule(
            "min_untimed_accuracy",
            "Too few untimed readers are right.",
            settings.min_untimed_accuracy,
        ),
        FilterRule(
            "max_speed_accuracy",
            "Too many readers in a hurry are right.",
            settings.max_speed_accuracy,
        ),
        FilterRule(
            "min_context_required",
            "Too little of the story is needed.",
            settings.min_context_required,
        ),
        FilterRule(
            "conflicting_labels",
            "The writer holds another answer to be right than most readers.",
            settings.conflicting_labels,
        ),
        FilterRule(PER_STORY, "Other questions of the story are kept.", settings.per_story),
    ]


def filtered(found: Iterable[Judged], settings: QualitySettings) -> list[ReadingQuestion]:
    """Return all questions, those not to be debated with the first rule they break."""
    kept: Counter[str] = Counter()
    questions = []
    for each in found:
        question = each.question
        removal = _removal(each, settings)
        if removal is None:
            limit = settings.per_story
            if limit != ANY and kept[question.story_id] >= int(limit):
                removal = Removal(PER_STORY, f"questions of the story kept: {limit}")
            else:
                kept[question.story_id] += 1
        questions.append(replace(question, removal=removal))
    return questions


def _removal(judged: Judged, settings: QualitySettings) -> Removal | None:
    question = judged.question
    if question.right_answer is None:
        return Removal(WITHHELD, "withheld by the source")
    if not question.is_best_distractor:
        return Removal(NO_DISTRACTOR, "named by no untimed reader")
    if settings.source not in (ANY, judged.source):
        return Removal("source", f"source: {judged.source}")
    for rule, value, reason in (
        ("difficult", question.is_difficult, "difficult"),
        ("max_answerability", question.answerability, "answerability"),
        ("min_untimed_accuracy", question.untimed_accuracy, "untimed accuracy"),
        ("max_speed_accuracy", question.speed_accuracy, "speed accuracy"),
        ("min_context_required", question.context_required, "context required"),
        ("conflicting_labels", judged.has_conflict, "conflicting labels"),
    ):
        wanted = getattr(settings, rule)
        if wanted == ANY:
            continue
        if value is None:
            return Removal(rule, f"{reason}: not known")
        if isinstance(value, bool):
            if value != (wanted == "yes"):
                return Removal(rule, f"{reason}: {'yes' if value else 'no'}")
            continue
        excess = float(wanted) - value if rule in _AT_LEAST else value - float(wanted)
        if excess > _TOLERANCE:
            return Removal(rule, f"{reason}: {value:.4g}")
    return None
