"""The prompts of a transcript: who is shown what, the story first and what changes last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inference.oversight.debating.quotes import normalised, quote_tags
from inference.oversight.items import ASKER, DEBATERS, DebatePlan, OversightTurn, ReadingQuestion
from inference.prompt_files import Prompt, PromptFile
from inference.templates import Template

_SIDES = ("other_answer", "own_answer")
_SLOTS = {
    "ov_asker": ("first_answer", "question", "second_answer", "transcript", "word_limit"),
    "ov_preference": ("first_answer", "question", "second_answer", "transcript"),
    "ov_critique": (*_SIDES, "draft", "transcript"),
    "ov_refine": (*_SIDES, "critique", "draft", "transcript", "word_limit"),
}
_NOTHING = "(Nothing yet.)"
# What comes with tags of its own, and harmless otherwise: see `quotes`.
_READY = ("draft", "transcript")


@dataclass(frozen=True)
class Prompts:
    """The prompts that a plan needs besides the debater's own."""

    asker: Prompt
    preference: Prompt
    critique: Prompt
    refine: Prompt

    @classmethod
    def load(cls, prompts_folder: Path | None) -> Prompts:
        """Return the user's prompts where there are any, else the shipped ones.

        Raises:
            BadTemplate: A user's file cannot be read, or has other slots.
        """
        files = (PromptFile("debating", name, slots) for name, slots in _SLOTS.items())
        return cls(*(each.load(prompts_folder) for each in files))

    def used_by(self, plan: DebatePlan) -> dict[str, str]:
        """Return the hashes of the prompts that a plan makes use of."""
        used = [self.asker] if plan.asker is not None else []
        used += [self.preference] if plan.preference_judge is not None else []
        used += [self.critique, self.refine] if plan.refine else []
        return {prompt.name: prompt.prompt_hash for prompt in used}

    def ask(
        self, question: ReadingQuestion, plan: DebatePlan, turns: Sequence[OversightTurn]
    ) -> str:
        """Return the prompt of the asker between rounds."""
        values = {**_answers(question, "01"), "word_limit": str(plan.word_limit)}
        return self._fill(self.asker, values, turns_text(question, turns, None))

    def weigh(
        self, question: ReadingQuestion, turns: Sequence[OversightTurn], answer_order: str
    ) -> str:
        """Return the prompt of a preference judge, the answers in an order."""
        shown = turns_text(question, turns, None)
        return self._fill(self.preference, _answers(question, answer_order), shown)

    def criticise(
        self, question: ReadingQuestion, argues: int, turns: Sequence[OversightTurn], draft: str
    ) -> str:
        """Return the prompt of a critic of a draft, quotes marked."""
        values = {**_sides(question, argues), "draft": draft}
        return self._fill(self.critique, values, turns_text(question, turns, argues))

    def write_again(
        self,
        question: ReadingQuestion,
        plan: DebatePlan,
        argues: int,
        turns: Sequence[OversightTurn],
        draft: str,
        critique: str,
    ) -> str:
        """Return the prompt of a debater who writes a draft again."""
        values = {
            **_sides(question, argues),
            "draft": draft,
            "critique": critique,
            "word_limit": str(plan.word_limit),
        }
        return self._fill(self.refine, values, turns_text(question, turns, argues))

    def _fill(self, prompt: Prompt, values: dict[str, str], shown: str) -> str:
        return prompt.fill({**values, "transcript": shown}, ready=_READY)


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


def _answers(question: ReadingQuestion, answer_order: str) -> dict[str, str]:
    first, second = (question.answers[int(place)] for place in answer_order)
    return {"question": question.question, "first_answer": first, "second_answer": second}


def _sides(question: ReadingQuestion, argues: int) -> dict[str, str]:
    return {"own_answer": question.answers[argues], "other_answer": question.answers[1 - argues]}
