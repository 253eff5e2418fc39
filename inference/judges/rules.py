"""Judges that follow a rule: the least that any model has to beat."""

import hashlib
from bisect import bisect_right
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any

from inference.debates.items import Debate
from inference.debates.verdicts import verdict_text
from inference.debates.winners import read_winners
from inference.items import Rating
from inference.judges.base import OfflineJudge, Reply, answer_text
from inference.judges.request import Request
from inference.questions.answers import Answer
from inference.registry import JudgeSpec

_ACKNOWLEDGEMENT = "as an ai language model"


class RuleJudge(OfflineJudge):
    """`rule/constant-N` always answers N; `rule/length` scores by the number of words.

    For length, a speech or an answer scores the scale's lowest point plus the number of cut points
    that its word count reaches, at most the scale's highest. With the default 75, 150, 300 and 600
    words, a speech of 74 words scores 1 and one of 600 scores 5.
    """

    def __init__(self, spec: JudgeSpec) -> None:
        self._cut_points: list[int] | None = None
        self._constant = 0
        if spec.model == "length":
            self._cut_points = list(spec.settings["cut_points"])
        else:
            self._constant = int(spec.model.removeprefix("constant-"))

    def identity(self, request: Request) -> dict[str, Any]:
        """The text, and the rule's own settings."""
        return {**request.facts(), "cut_points": self._cut_points}

    async def ask(self, request: Request) -> Reply:
        """Apply the rule."""
        rating, item = request.way(Rating), request.item
        words, noun = getattr(item, "word_count", 0), request.kind.name
        if self._cut_points is None:
            score, reasons = self._constant, f"The rule gives every {noun} this score."
        else:
            reached = bisect_right(self._cut_points, words)
            score = min(rating.scale_min + reached, rating.scale_max)
            reasons = f"The {noun} has {words} words."
        shown = reasons if request.template.is_justified else None
        text = str(score) if request.description.is_bare else answer_text(score, shown)
        return Reply(text, finish_reason="stop", cost_usd=0.0)


class AcknowledgeJudge(OfflineJudge):
    """`rule/acknowledge`: 1 where an answer begins with a phrase that models used of disputes.

    The phrase is "As an AI language model" [1]_, in any case of letters and behind nothing but
    white space. Models that speak otherwise of a dispute get 0: the rule is there to be compared.

    .. [1] DELPHI: Data for evaluating LLMs' performance in handling controversial issues, 2023.
    """

    async def ask(self, request: Request) -> Reply:
        """Apply the rule."""
        begins = request.about(Answer).answer.lstrip().casefold().startswith(_ACKNOWLEDGEMENT)
        return Reply(str(int(begins)), finish_reason="stop", cost_usd=0.0)


class DebateRuleJudge(OfflineJudge):
    """`rule/concluding-side`, `rule/longer-side`, `rule/majority` and `rule/random`.

    The concluding side is the one that speaks last, the longer side the one with more words. The
    majority is the side that wins more often in the data set as people decided it, this debate
    included: the one rule that knows any winner. A rule that favours neither side answers so, which
    is no label.
    """

    def __init__(self, spec: JudgeSpec, reference_file: Path | None) -> None:
        self._spec = spec
        self._reference_file = reference_file

    def identity(self, request: Request) -> dict[str, Any]:
        """The debate, the rule's own settings, and for the majority which side that is."""
        majority = self._majority if self._spec.model == "majority" else None
        return {**request.facts(), "settings": self._spec.settings, "majority": majority}

    async def ask(self, request: Request) -> Reply:
        """Apply the rule."""
        winner, reasons = self._winner(request.about(Debate), request.sample)
        return Reply(verdict_text(request, winner, reasons), finish_reason="stop", cost_usd=0.0)

    def _winner(self, debate: Debate, sample: int) -> tuple[str | None, str]:
        if self._spec.model == "concluding-side":
            return debate.end_side, "The side that speaks last has won."
        if self._spec.model == "longer-side":
            winner = None
            if debate.words_pro != debate.words_con:
                winner = "pro" if debate.words_pro > debate.words_con else "con"
            return winner, "The side that says more words has won."
        if self._spec.model == "majority":
            return self._majority, "The side that wins more often has won."
        text = f"{self._spec.settings['seed']}\n{debate.item_id}\n{sample}"
        is_con = hashlib.sha256(text.encode()).digest()[0] & 1
        return "con" if is_con else "pro", "A coin was tossed."

    @cached_property
    def _majority(self) -> str | None:
        winners = read_winners(self._reference_file, f"judge '{self._spec.judge_id}'").values()
        won = Counter(winner for winner in winners if winner in ("pro", "con"))
        if won["pro"] == won["con"]:
            return None
        return "pro" if won["pro"] > won["con"] else "con"
