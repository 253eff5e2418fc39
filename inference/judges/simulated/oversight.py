"""Debaters with planted strength: what ratings and persuasion are checked against.

A turn is a list of arguments, each of them a passage of the story between quote tags and the claim
that it speaks for the answer. How many there are is drawn around

    arguments + truth * t,        t = 1/2 where the answer is right, -1/2 where it is wrong,

with t = 0 where that is not known; the two whole numbers next to it are drawn so that
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

Judges of questions about stories with planted habits: what the oversight tables are checked by.

The log-odds that answer 0 is right are, to such a judge,

    evidence + per_verified * (v0 - v1) + per_unverified * (u0 - u1)
      + wordiness * log2((w0 + 50) / (w1 + 50)) + first_shown * p

with v and u the verified and unverified quotes shown for an answer, w the words for it, and
p = 1/2 where answer 0 is shown first, else -1/2. So `per_verified` and `per_unverified` are
log-odds per quote that one side has more, `wordiness` is that per doubling of its words (with fifty
added to each side, so that an empty one has some), and `first_shown` what the order of the
answers is worth.

The evidence is normal with the mean s where answer 0 is right and -s where it is not, and the
variance 2 s. Evidence of this shape is calibrated: as log-odds it says exactly as much as it is
worth, and it points to the right answer with the probability Phi(sqrt(s / 2)). Its strength s is
`naive` for a judge who sees the question alone, `expertise` for one who has the story, and
`insight` for every round of a transcript that is shown. The draw depends on the seed and the
question alone, so that one judge is as lucky with a question in all of its protocols, orders and
probes.

The reply is the probability of A, rounded to hundredths, or the likelier letter. A share
`failure_rate` of the replies cannot be read; which depends on the way of asking too. Besides
simulated debaters these judges alone may open the file that says which answers are right.
"""

import hashlib
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inference.debates.pressure import Pressed
from inference.errors import BadItems
from inference.items import read_rows
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, no_reference, offline_reply
from inference.oversight.debating.records import ASK, CRITICISE, PREFER, REFINE, DebateRole
from inference.oversight.items import (
    CHOICE,
    EXPERT,
    FORWARD,
    JudgingPlan,
    OversightTurn,
    ReadingQuestion,
    Transcript,
)
from inference.oversight.judging import LETTERS, answer_of, by_answer, shown_turns

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
        """Read the right answers; there are none without a file."""
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
            return offline_reply(self._rebuttal(request.variant, request))
        return offline_reply(self._reply_text(request))

    def _reply_text(self, request: Request) -> str:
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
    """Return the persuasion of a turn as judges are shown it, by the rule of this module."""
    return len(_VERIFIED.findall(shown)) - len(_UNVERIFIED.findall(shown)) / 2


def probability_of_0(turns: Sequence[OversightTurn]) -> float:
    """Return the probability that answer 0 is right, by the rule of this module."""
    first, second = by_answer(turns, persuasion)
    return 1 / (1 + math.exp(max(-500.0, min(500.0, second - first))))


def preference_text(role: DebateRole, p_answer_0: float) -> str:
    """Return a preference judge's reply: the probability of the answer it is shown first."""
    first = p_answer_0 if role.answer_order[0] == "0" else 1 - p_answer_0
    return f"<probability>{100 * first:.4f}</probability>"


def _passages(story: str) -> list[list[str]]:
    """Return the passages to quote: the first words of each sentence that is long enough.

    A passage that reads the same when its words are turned round could not be misquoted.
    """
    found = [sentence.split()[:_MOST_WORDS] for sentence in _SENTENCE.split(story)]
    long = [words for words in found if len(words) >= _FEWEST_WORDS and words != words[::-1]]
    return long or [story.split()[:_MOST_WORDS]]


# One of each way that models fail to say how likely an answer is, or to choose.
FAILURES = (
    "Probability that A is right: 1.2",
    "Probability that A is right: fairly high",
    "Both answers could be defended, and I would not like to decide between them.",
    "",
)
# Added to the words of each side.
_MORE_WORDS = 50


class SimulatedOversightJudge(SimulatedBase[dict[str, int]]):
    """A judge of the family above; `simulated/oversight-calibrated` and others set its numbers."""

    def read(self, path: Path | None) -> dict[str, int]:
        """Read the right answers."""
        return read_right_answers(path, self.who)

    def identity(self, request: Request) -> dict[str, Any]:
        """Return the turns shown, the settings, and the right answer, which may be corrected."""
        known = super().identity(request)
        if isinstance(request.item, Transcript):
            shown = [turn.text for turn in shown_turns(request.item, request.way(JudgingPlan))]
            known["shown"] = hashlib.sha256("\0".join(shown).encode()).hexdigest()
        return known

    async def ask(self, request: Request) -> Reply:
        """Draw the judgement, or a reply that cannot be read."""
        right = self.reference(request)
        if right is None:
            return no_reference(f"the right answer to '{_question(request)}' is not known")
        plan, settings = request.way(JudgingPlan), self._spec.settings
        fails, which = self.draws(request).random(2)
        if fails < settings["failure_rate"]:
            return offline_reply(FAILURES[int(which * len(FAILURES))])
        for_a = self._log_odds(request, right)
        if answer_of(LETTERS[0], plan.answer_order) != 0:
            for_a = -for_a
        if plan.asked_for == CHOICE:
            logprobs = dict(zip(LETTERS, (-_softplus(-for_a), -_softplus(for_a)), strict=True))
            letter = LETTERS[0] if for_a >= 0 else LETTERS[1]
            return offline_reply(letter, label_logprobs=logprobs)
        return offline_reply(f"Probability that A is right: {math.exp(-_softplus(-for_a)):.2f}")

    def _log_odds(self, request: Request, right: int) -> float:
        """Return the log-odds that answer 0 is right."""
        plan, settings = request.way(JudgingPlan), self._spec.settings
        turns: list[OversightTurn] = []
        if isinstance(request.item, Transcript):
            turns = shown_turns(request.item, plan)
        strength = float(settings["expertise"] if plan.protocol == EXPERT else settings["naive"])
        if rounds := max((turn.round for turn in turns), default=0):
            strength = float(settings["insight"] * rounds)
        draw = float(self.generator(_question(request)).standard_normal())
        evidence = (strength if right == 0 else -strength) + math.sqrt(2 * strength) * draw
        verified = by_answer(turns, lambda text: len(_VERIFIED.findall(text)))
        unverified = by_answer(turns, lambda text: len(_UNVERIFIED.findall(text)))
        words = by_answer(turns, lambda text: len(text.split()))
        return float(
            evidence
            + settings["per_verified"] * (verified[0] - verified[1])
            + settings["per_unverified"] * (unverified[0] - unverified[1])
            + settings["wordiness"] * math.log2((words[0] + _MORE_WORDS) / (words[1] + _MORE_WORDS))
            + settings["first_shown"] * (0.5 if plan.answer_order == FORWARD else -0.5)
        )

    def reference(self, request: Request) -> int | None:
        """Return the right answer; None where it is not known."""
        # A debate of people may have its answers in another order than its question.
        return self.references.get(request.item.item_id, self.references.get(_question(request)))


def read_right_answers(path: Path | None, who: str) -> dict[str, int]:
    """Return the right answer to each question, or in each room: 0 or 1, where it is known.

    Args:
        path: The data set's file of right answers; None where it has none.
    """
    if path is None:
        raise BadItems(
            f"simulated: {who} is made from which answers are right, and this data set has no "
            "questions about stories that say so; use one that has"
        )
    rows = read_rows(path.parent.name, path, ("question_id", "right_answer"))
    return {
        row["question_id"]: row["right_answer"] for row in rows if row["right_answer"] is not None
    }


def _question(request: Request) -> str:
    item = request.item
    return item.question_id if isinstance(item, Transcript) else item.item_id


def _softplus(value: float) -> float:
    return float(np.logaddexp(0.0, value))
