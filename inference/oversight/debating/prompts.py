"""The prompts of a transcript, the story first and what changes last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inference.oversight.debating.quotes import normalised, quote_tags
from inference.oversight.debating.records import ASK, CRITICISE, PREFER, REFINE
from inference.oversight.items import ASKER, DEBATERS, DebatePlan, OversightTurn, ReadingQuestion
from inference.prompt_files import Prompt, PromptFile
from inference.templates import Template

_SIDES = ("other_answer", "own_answer")
_FILES = {
    ASK: ("ov_asker", ("first_answer", "question", "second_answer", "transcript", "word_limit")),
    PREFER: ("ov_preference", ("first_answer", "question", "second_answer", "transcript")),
    CRITICISE: ("ov_critique", (*_SIDES, "draft", "transcript")),
    REFINE: ("ov_refine", (*_SIDES, "critique", "draft", "transcript", "word_limit")),
}
_NOTHING = "(Nothing yet.)"
# Slots whose texts have tags of their own, and are harmless otherwise: see `quotes`.
_READY = ("draft", "transcript")


@dataclass(frozen=True)
class Prompts:
    """The prompts that a plan needs besides the debater's own, by role."""

    by_role: Mapping[str, Prompt]

    @classmethod
    def load(cls, prompts_folder: Path | None) -> Prompts:
        """Return the user's prompts where there are any, else the shipped ones.

        Raises:
            BadTemplate: A user's file cannot be read, or has other slots.
        """
        files = {role: PromptFile("debating", *each) for role, each in _FILES.items()}
        return cls({role: file.load(prompts_folder) for role, file in files.items()})

    def used_by(self, plan: DebatePlan) -> dict[str, str]:
        """Return the hashes of the prompts that a plan makes use of."""
        roles = [ASK] if plan.asker is not None else []
        roles += [PREFER] if plan.preference_judge is not None else []
        roles += [CRITICISE, REFINE] if plan.refine else []
        used = [self.by_role[role] for role in roles]
        return {prompt.name: prompt.prompt_hash for prompt in used}

    def fill(
        self,
        role: str,
        question: ReadingQuestion,
        plan: DebatePlan,
        turns: Sequence[OversightTurn],
        argues: int | None = None,
        answer_order: str = "01",
        **drafts: str,
    ) -> str:
        """Return the prompt of a role about the turns so far.

        Args:
            argues: The answer that the reader argues for; None for one who does not.
            answer_order: The order in which the answers are shown.
            drafts: The `draft` that is looked at, and its `critique`.
        """
        first, second = (question.answers[int(place)] for place in answer_order)
        values = {
            "question": question.question,
            "first_answer": first,
            "second_answer": second,
            "word_limit": str(plan.word_limit),
            "transcript": turns_text(question, turns, argues),
            **({} if argues is None else _sides(question, argues)),
            **drafts,
        }
        return self.by_role[role].fill(values, ready=_READY)


def values_of(
    question: ReadingQuestion,
    plan: DebatePlan,
    argues: int,
    turns: Sequence[OversightTurn] = (),
    round_number: int = 1,
) -> dict[str, str]:
    """Return the slots of a debater's prompt, given the turns so far."""
    return {
        **_sides(question, argues),
        "story": question.story,
        "question": question.question,
        "word_limit": str(plan.word_limit),
        "round": str(round_number),
        "rounds": str(plan.rounds),
        "transcript": turns_text(question, turns, argues),
    }


def turns_text(
    question: ReadingQuestion, turns: Sequence[OversightTurn], argues: int | None
) -> str:
    """Return the turns so far, as a reader is shown them who argues for an answer, or for none.

    Speakers are known by the answers they argue for, never by a letter: judges may see the answers
    in another order.
    """
    names = {ASKER: "the question asked"}
    for answer, speaker in enumerate(DEBATERS):
        whose = {None: "a debater", answer: "you"}.get(argues, "your opponent")
        in_one_line = " ".join(question.answers[answer].replace("<", "&lt;").split())
        names[speaker] = f"{whose}, for the answer: {in_one_line}"
    parts = [f"[Round {each.round}, {names[each.speaker]}]\n{each.text}" for each in turns]
    return "\n\n".join(parts) or _NOTHING


def examples_of(template: Template) -> frozenset[str]:
    """Return the quotes that a debater's prompt shows as examples, normalised."""
    text = f"{template.system or ''}\n{template.text}"
    found, opened = set(), None
    for tag in quote_tags(text):
        if not tag[1]:
            opened = tag.end()
        elif opened is not None:
            found.add(normalised(text[opened : tag.start()]))
            opened = None
    # What the rules say of the tags themselves is no passage.
    return frozenset(each for each in found if len(each.split()) > 1)


def _sides(question: ReadingQuestion, argues: int) -> dict[str, str]:
    return {"own_answer": question.answers[argues], "other_answer": question.answers[1 - argues]}
