"""Debaters with planted strength: what ratings and persuasion are checked against.

A turn is a list of arguments, each of them a passage of the story between quote tags and the claim
that it speaks for the answer. How many there are is drawn around

    arguments + truth * t,        t = 1/2 where the answer is right, -1/2 where it is wrong,

with t = 0 where nobody knows which is right; the two whole numbers next to it are drawn so that
this is their mean, and as many are left out as the words there may be demand. Each passage is
copied word for word with probability `verified`; else its words are in another order. With
probability `concession_rate` a turn concedes instead, and a share `failure_rate` of the replies
refuses.

So what persuades can be read off a text without any marker: `persuasion` is the number of verified
quotes less half the number of others. As preference judges these debaters find answer 0 right with
probability 1 / (1 + exp(-(p0 - p1))), p0 and p1 the sums of what persuades in each side's turns.

About a debate that has been judged, a debater writes a rebuttal of as many arguments, each a
sentence with `REBUTTED` in it. Nobody is right there, so t = 0.

Draws depend on the seed, the question, the role, the template and the sample alone. These debaters
may open the file of right answers.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inference.debates.pressure import Pressed
from inference.items import read_rows
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, said
from inference.oversight.debating.records import ASK, CRITICISE, PREFER, REFINE, DebateRole
from inference.oversight.items import OversightTurn, ReadingQuestion
from inference.oversight.judging import by_answer

# What an argument of a rebuttal says, and nothing else.
REBUTTED = "has not been answered"
_REFUSAL = "I am sorry, but I cannot argue for this answer."
_CONCESSION = "I concede the debate."
_CRITIQUE = "A passage more would carry the case further."
_FEWEST_WORDS, _MOST_WORDS = 5, 14
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_VERIFIED, _UNVERIFIED = re.compile(r"<v_quote>"), re.compile(r"<u_quote>")


class SimulatedDebater(SimulatedBase[dict[str, int | None]]):
    """A debater of the family above; `simulated/debater-strong` and others set its numbers."""

    def read(self, path: Path | None) -> dict[str, int | None]:
        """Return the right answer to each question; nothing where nobody says it."""
        columns = ("question_id", "right_answer")
        rows = [] if path is None else read_rows(path.parent.name, path, columns)
        return {row["question_id"]: row["right_answer"] for row in rows}

    def identity(self, request: Request) -> dict[str, Any]:
        """The question, the settings, and the right answer, which may be corrected."""
        right = self.reference(request)
        return {**request.facts(), "settings": self._spec.settings, "right": right}

    async def ask(self, request: Request) -> Reply:
        """Say what the role asks for, or object to a verdict."""
        if isinstance(request.variant, Pressed):
            return said(self._rebuttal(request.variant, request))
        return said(self._said(request))

    def _said(self, request: Request) -> str:
        role, settings = request.way(DebateRole), self._spec.settings
        if role.role == PREFER:
            return preference_text(role, probability_of_0(role.turns))
        if role.role == CRITICISE:
            return _CRITIQUE
        if role.role == ASK:
            return "<question>Which passage of the story shows it?</question>"
        generator = self.draws(request, role.protocol)
        if generator.random() < settings["failure_rate"]:
            return _REFUSAL
        if generator.random() < settings["concession_rate"]:
            return f"<argument>{_CONCESSION}</argument>"
        return f"<argument>{self._turn(request, role, generator)}</argument>"

    def _rebuttal(self, variant: Pressed, request: Request) -> str:
        settings = self._spec.settings
        generator = self.generator(
            request.item.item_id, variant.words, variant.first_request_id, request.sample
        )
        if generator.random() < settings["failure_rate"]:
            return _REFUSAL
        mean = settings["arguments"]
        count = math.floor(mean) + int(generator.random() < mean % 1)
        points = [f"Argument {number} of mine {REBUTTED}." for number in range(1, count + 1)]
        return " ".join(["I won this debate.", *points])

    def _turn(self, request: Request, role: DebateRole, generator: np.random.Generator) -> str:
        settings, right = self._spec.settings, self.reference(request)
        answer = request.about(ReadingQuestion).answers[role.argues or 0]
        mean = settings["arguments"] + (role.role == REFINE)
        if right is not None:
            mean += settings["truth"] * (0.5 if role.argues == right else -0.5)
        count = max(1, math.floor(mean) + int(generator.random() < mean % 1))
        passages = _passages(request.about(ReadingQuestion).story)
        order = generator.permutation(len(passages))[:count]
        parts = [f"I argue for this answer: {answer}."]
        for place in order:
            words = passages[place]
            if generator.random() >= settings["verified"]:
                words = words[::-1]
            parts.append(f"The story speaks for it: <quote>{' '.join(words)}</quote>.")
        while len(parts) > 1 and sum(len(each.split()) for each in parts) > role.word_limit:
            parts.pop()
        return " ".join(parts)


def persuasion(shown: str) -> float:
    """Return what persuades in a turn as judges are shown it, by the rule of this module."""
    return len(_VERIFIED.findall(shown)) - len(_UNVERIFIED.findall(shown)) / 2


def probability_of_0(turns: Sequence[OversightTurn]) -> float:
    """Return how likely answer 0 is found to be right, by the rule of this module."""
    first, second = by_answer(turns, persuasion)
    return 1 / (1 + math.exp(max(-500.0, min(500.0, second - first))))


def preference_text(role: DebateRole, p_answer_0: float) -> str:
    """Return a preference judge's reply: the probability of the answer it is shown first.

    Args:
        role: What is asked.
        p_answer_0: The probability of answer 0.
    """
    first = p_answer_0 if role.answer_order[0] == "0" else 1 - p_answer_0
    return f"<probability>{100 * first:.4f}</probability>"


def _passages(story: str) -> list[list[str]]:
    """Return what can be quoted: the first words of each sentence that is long enough.

    A passage that reads the same when its words are turned round could not be misquoted.
    """
    found = [sentence.split()[:_MOST_WORDS] for sentence in _SENTENCE.split(story)]
    long = [words for words in found if len(words) >= _FEWEST_WORDS and words != words[::-1]]
    return long or [story.split()[:_MOST_WORDS]]
