"""Rules that name a debate's winner: what any judge has to beat."""

import hashlib
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any

from inference.debates.items import Debate
from inference.debates.winners import read_winners
from inference.judges.base import OfflineJudge, Reply, verdict_text
from inference.judges.request import Request
from inference.registry import JudgeSpec


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
