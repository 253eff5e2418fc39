"""Judges of questions about stories with planted habits: what the oversight tables are checked by.

The log-odds that answer 0 is right are, to such a judge,

    evidence + per_verified * (v0 - v1) + per_unverified * (u0 - u1)
      + wordiness * log2((w0 + 50) / (w1 + 50)) + first_shown * p

with v and u the verified and unverified quotes shown for an answer, w the words said for it, and
p = 1/2 where answer 0 is shown first, else -1/2. So `per_verified` and `per_unverified` are
log-odds per quote that one side has more, `wordiness` is that per doubling of its words (fifty more
than it said, so that a side which says nothing has some), and `first_shown` what the order of the
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
from pathlib import Path
from typing import Any

import numpy as np

from inference.errors import BadItems
from inference.items import read_rows
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, nothing_known, said
from inference.oversight.items import (
    CHOICE,
    EXPERT,
    FORWARD,
    JudgingPlan,
    OversightTurn,
    Transcript,
)
from inference.oversight.judging import LETTERS, answer_of, by_answer, shown_turns

# One of each way that models fail to say how likely an answer is, or to choose.
FAILURES = (
    "Probability that A is right: 1.2",
    "Probability that A is right: fairly high",
    "Both answers could be defended, and I would not like to decide between them.",
    "",
)
_QUOTES = {name: re.compile(rf"<{name}>") for name in ("v_quote", "u_quote")}
# Words that each side is taken to have said besides.
_SAID_ANYHOW = 50


class SimulatedOversightJudge(SimulatedBase[dict[str, int]]):
    """A judge of the family above; `simulated/oversight-calibrated` and others set its numbers."""

    def read(self, path: Path | None) -> dict[str, int]:
        """Return which answer is right."""
        return read_right_answers(path, self.who)

    def identity(self, request: Request) -> dict[str, Any]:
        """What is shown, the settings, and which answer is right, which may be corrected."""
        known = super().identity(request)
        if isinstance(request.item, Transcript):
            shown = [turn.text for turn in shown_turns(request.item, request.way(JudgingPlan))]
            known["shown"] = hashlib.sha256("\0".join(shown).encode()).hexdigest()
        return known

    async def ask(self, request: Request) -> Reply:
        """Draw the judgement, or a reply that cannot be read."""
        right = self.reference(request)
        if right is None:
            return nothing_known(f"nobody says which answer to '{_question(request)}' is right")
        plan, settings = request.way(JudgingPlan), self._spec.settings
        fails, which = self.draws(request).random(2)
        if fails < settings["failure_rate"]:
            return said(FAILURES[int(which * len(FAILURES))])
        for_a = self._log_odds(request, right)
        if answer_of(LETTERS[0], plan.answer_order) != 0:
            for_a = -for_a
        if plan.asked_for == CHOICE:
            logprobs = dict(zip(LETTERS, (-_softplus(-for_a), -_softplus(for_a)), strict=True))
            letter = LETTERS[0] if for_a >= 0 else LETTERS[1]
            return said(letter, label_logprobs=logprobs)
        return said(f"Probability that A is right: {math.exp(-_softplus(-for_a)):.2f}")

    def _log_odds(self, request: Request, right: int) -> float:
        """Return the log-odds that answer 0 is right."""
        plan, settings = request.way(JudgingPlan), self._spec.settings
        turns: list[OversightTurn] = []
        if isinstance(request.item, Transcript):
            turns = shown_turns(request.item, plan)
        strength = self._strength(plan, max((turn.round for turn in turns), default=0))
        draw = float(self.generator(_question(request)).standard_normal())
        evidence = (strength if right == 0 else -strength) + math.sqrt(2 * strength) * draw
        verified, unverified = (_more_quotes(turns, name) for name in _QUOTES)
        first, second = (
            words + _SAID_ANYHOW for words in by_answer(turns, lambda text: len(text.split()))
        )
        return float(
            evidence
            + settings["per_verified"] * verified
            + settings["per_unverified"] * unverified
            + settings["wordiness"] * math.log2(first / second)
            + settings["first_shown"] * (0.5 if plan.answer_order == FORWARD else -0.5)
        )

    def _strength(self, plan: JudgingPlan, rounds: int) -> float:
        settings = self._spec.settings
        if rounds:
            return float(settings["insight"] * rounds)
        return float(settings["expertise"] if plan.protocol == EXPERT else settings["naive"])

    def reference(self, request: Request) -> int | None:
        """Return which answer is right; None where nobody says it."""
        # A debate of people may have its answers in another order than its question.
        return self.known.get(request.item.item_id, self.known.get(_question(request)))


def read_right_answers(path: Path | None, who: str) -> dict[str, int]:
    """Return which answer to each question, or in each room, is right: 0 or 1, where it is known.

    Args:
        path: The data set's file of right answers; None where it has none.
        who: Who needs it, for messages.

    Raises:
        BadItems: There is no such file, or it cannot be read.
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


def _more_quotes(turns: list[OversightTurn], name: str) -> float:
    """Return how many more quotes of a kind are shown for answer 0 than for answer 1."""
    first, second = by_answer(turns, lambda text: len(_QUOTES[name].findall(text)))
    return first - second


def _softplus(value: float) -> float:
    return float(np.logaddexp(0.0, value))
