"""Adjudicators of parliamentary debates with planted habits: what the tables are checked against.

Where official scores o are known, with m their mean over the debate, a speech's worth to the judge
is

    m + slope * (o - m) + shift + opening * h + government * g + late * (place - 4.5)
      + words * (w - v) / 100 + named * n,

with h = 1/2 for the opening half, else -1/2; g = 1/2 for the government, else -1/2; place from 1 to
8 in speaking order; w the speech's words and v the mean of the debate's speeches; n = 1/2 for the
house that the prompt names first, falling evenly to -1/2 for the one it names last. So `opening`
and `government` are points of one half over the other, `late` points per place, `words` points per
100 words, and `named` points of the house named first over the one named last. A speech whose
score is missing counts as m; where there are no scores but a ranking of the houses, each speech
counts as 75 points plus two for every place of its house above the middle.

The score is the worth plus normal noise of `noise_sd` points, rounded and held within 50 to 100.
With probability `coherence` both rankings are made of these scores, before they are rounded, so
that two houses can be level on points and still be ranked, and never the wrong way round unless
rounding does it. Else both are made of the worth with noise of their own, and can contradict the
scores. A share `failure_rate` of the replies is damaged in one of the ways of `FAILURES`.

Draws depend on the seed, the debate, the way of asking, the template and the sample alone. Of all
judges of these debates, these alone may open the file of results.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from inference.errors import BadItems
from inference.items import read_rows
from inference.judges.base import OfflineJudge, Reply
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, no_reference, offline_reply
from inference.parliamentary.items import (
    ASKED_TASKS,
    HOUSE_RANKS,
    SPEAKER_SCORES,
    AskedAdjudication,
    ParliamentaryDebate,
)
from inference.parliamentary.rulings import ruling_text
from warehouse.records.bp import HOUSE_OF, HOUSES, ROLES, SCORE_MAX, SCORE_MIN, house_sums

# The average speech of a tournament.
AVERAGE = 75
_POINTS_PER_PLACE = 2.0
_NOTE = "The speech has been heard, and nothing in it calls for a note."


class Failure(NamedTuple):
    """One way to damage a reply; a reply that this cannot happen to stays as it is."""

    damage: Callable[[str], str]
    finish_reason: str = "stop"


# One of each way that models fail to rule.
FAILURES = (
    Failure(lambda text: _with_line(text, "Second: ", _content(text, "First: "))),
    Failure(lambda text: _with_line(text, "2: ", _content(text, "1: "))),
    Failure(lambda text: re.sub(r"^DLO: .*\n?", "", text, flags=re.MULTILINE).rstrip("\n")),
    Failure(lambda text: _with_line(text, "MG: ", "very good")),
    Failure(lambda text: _with_line(text, "MO: ", "8")),
    Failure(lambda _: "All four benches made this a close debate, and each had its moments."),
    Failure(lambda _: ""),
    Failure(lambda text: text[: len(text) // 2], "length"),
)


class SimulatedAdjudicator(SimulatedBase[dict[str, dict[tuple[str, str], float]]]):
    """A judge of the family above; `simulated/chair` and the other presets set its numbers."""

    def read(self, path: Path | None) -> dict[str, dict[tuple[str, str], float]]:
        """Return the official results of each debate."""
        if path is None:
            raise BadItems(
                f"simulated: {self.who} is made from official results, and this data set has no "
                "parliamentary debates with any; use one that has"
            )
        results: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
        for row in read_rows(path.parent.name, path, ("debate_id", "place", "task", "value")):
            results[row["debate_id"]][row["task"], row["place"]] = row["value"]
        return dict(results)

    def reference(self, request: Request) -> list[tuple[str, str, float]]:
        """Return the official results of the debate."""
        official = self.references.get(request.item.item_id, {})
        return sorted((*key, value) for key, value in official.items())

    async def ask(self, request: Request) -> Reply:
        """Draw the ruling, or a damaged one."""
        way, settings = request.way(AskedAdjudication), self._spec.settings
        if way.task not in ASKED_TASKS:
            return offline_reply(_NOTE)
        official = self.references.get(request.item.item_id, {})
        if not official:
            return no_reference(f"there is no result of debate '{request.item.item_id}'")
        generator = self.draws(request, way.named_order)
        fails, breaks, chosen = generator.random(3)
        noise = generator.standard_normal((2, len(ROLES))) * settings["noise_sd"]
        worth = self._worth(request, official)
        felt: dict[str, float] = {
            role: worth[role] + float(noise[0, i]) for i, role in enumerate(ROLES)
        }
        scores: dict[str, float] = {
            role: float(math.floor(min(max(felt[role], SCORE_MIN), SCORE_MAX) + 0.5))
            for role in ROLES
        }
        if breaks >= settings["coherence"]:
            felt = {role: worth[role] + float(noise[1, i]) for i, role in enumerate(ROLES)}
        sums = house_sums(felt)
        text = ruling_text(
            way.task,
            sorted(HOUSES, key=lambda house: -sums[house]),
            scores,
            sorted(ROLES, key=lambda role: -felt[role]),
        )
        if fails >= settings["failure_rate"]:
            return offline_reply(text)
        # A task that was not asked for cannot be answered badly.
        possible = [each for each in FAILURES if each.damage(text) != text]
        failure = possible[int(chosen * len(possible))]
        return offline_reply(failure.damage(text), failure.finish_reason)

    def _worth(
        self, request: Request, official: Mapping[tuple[str, str], float]
    ) -> dict[str, float]:
        settings = self._spec.settings
        words = {
            each.role: len(each.text.split())
            for each in request.about(ParliamentaryDebate).speeches
        }
        usual_words = sum(words.values()) / len(words)
        scores = _points(official)
        mean = sum(scores.values()) / len(scores)
        named = request.way(AskedAdjudication).named_order
        worth: dict[str, float] = {}
        for place, role in enumerate(ROLES, start=1):
            house = HOUSE_OF[role]
            worth[role] = (
                mean
                + settings["slope"] * (scores[role] - mean)
                + settings["shift"]
                + settings["opening"] * (0.5 if house in ("og", "oo") else -0.5)
                + settings["government"] * (0.5 if house in ("og", "cg") else -0.5)
                + settings["late"] * (place - 4.5)
                + settings["words"] * (words[role] - usual_words) / 100
                + settings["named"] * (0.5 - named.index(house) / (len(HOUSES) - 1))
            )
        return worth


class SpeakingOrderRule(OfflineJudge):
    """`rule/speaking-order`: who speaks earlier is better, and every speech is an average one.

    Houses are ranked OG, OO, CG, CO and speakers as they speak; each speech has 75 points, what
    the average speech of a tournament has. So all houses are level on points, which the reading of
    rulings says of each reply.
    """

    async def ask(self, request: Request) -> Reply:
        """Apply the rule."""
        task = request.way(AskedAdjudication).task
        if task not in ASKED_TASKS:
            return offline_reply(_NOTE)
        return offline_reply(ruling_text(task, HOUSES, dict.fromkeys(ROLES, float(AVERAGE)), ROLES))


def _points(official: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """Return every speech's official points, missing ones by the rules of this module."""
    given = [value for (task, _), value in official.items() if task == SPEAKER_SCORES]
    if given:
        mean = sum(given) / len(given)
        return {role: official.get((SPEAKER_SCORES, role), mean) for role in ROLES}
    middle = (1 + len(HOUSES)) / 2
    return {
        role: AVERAGE
        + _POINTS_PER_PLACE * (middle - official.get((HOUSE_RANKS, HOUSE_OF[role]), middle))
        for role in ROLES
    }


def _content(text: str, start: str) -> str:
    return next(
        (line.removeprefix(start) for line in text.splitlines() if line.startswith(start)), ""
    )


def _with_line(text: str, start: str, content: str) -> str:
    lines = [f"{start}{content}" if each.startswith(start) else each for each in text.splitlines()]
    return "\n".join(lines)
