"""Judges that follow a rule: what any model has to beat."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from inference.judges.base import OfflineJudge, Reply, Request, answer_text
from inference.registry import JudgeSpec


class RuleJudge(OfflineJudge):
    """`rule/constant-N` always answers N; `rule/length` scores by the number of words.

    For length, a speech scores the scale's lowest point plus the number of cut points that its word
    count reaches, at most the scale's highest. With the default 75, 150, 300 and 600 words, a
    speech of 74 words scores 1 and one of 600 scores 5.
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
        item = request.speech
        if self._cut_points is None:
            score, reasons = self._constant, "The rule gives every speech this score."
        else:
            reached = bisect_right(self._cut_points, item.word_count)
            score = min(item.scale_min + reached, item.scale_max)
            reasons = f"The speech has {item.word_count} words."
        shown = reasons if request.template.is_justified else None
        return Reply(answer_text(score, shown), finish_reason="stop", cost_usd=0.0)
