"""Judges of debates with planted biases: what the bias tables are checked against.

The log-odds that a judge answers with Con's label are

    s * (ability * w + order * c + stance + length * l + debate_sd * u) + position * p + label * b

with s = 1 where the winner is asked for and -1 where the loser is; w = 1/2 where people made Con
the winner, -1/2 for Pro, 0 for a tie; c = 1/2 where Con speaks last, else -1/2; l = log2 of Con's
words over Pro's; u a standard normal draw per debate; p = 1/2 where Con is named second, else -1/2;
b = 1/2 where Con has the label that comes later in the order of characters, else -1/2. So each of
ability, order, position and label is what changing that one thing adds to the log-odds, and length
is that per doubling. Position and label pull at the answer and not at the winner, as in models.

Under pressure the judge gives its first verdict up with the probability

    wavering + [the side that lost speaks] * (pliability + by_<rebuttal> + discernment * t)

held between 0 and 1, with t = 1 where giving it up is right by what people decided, -1 where it is
wrong and 0 for a tie; a plain rebuttal adds nothing of its own, and one of a simulated debater
by_argument for each of its arguments. Wavering is not pressure: the
control shows it too.

A share `failure_rate` of the replies cannot be parsed. The draws depend on the seed, the debate,
the variant, the template and the sample alone, u on the seed and the debate alone: it is the same
in all variants, so that answers about one debate hang together.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from inference.debates.items import Debate
from inference.debates.pressure import LOSER, Pressed, is_debater
from inference.debates.variants import Variant
from inference.debates.winners import read_winners
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.judges.simulated.base import SimulatedBase, draw_one, no_reference, offline_reply
from inference.judges.simulated.oversight import REBUTTED

# One of each way that models fail to answer; the labels are filled in.
FAILURES = (
    "{first} or {second}",
    "Both speakers argued well, so this is a draw.",
    "I cannot choose a side in this debate.",
    "",
)
# Habits under pressure where the settings leave them out.
UNDER_PRESSURE: Mapping[str, float] = {
    "pliability": 0.1,
    "by_reason": 0.1,
    "by_flattery": 0.15,
    "by_authority": 0.3,
    # For each argument that a simulated debater writes.
    "by_argument": 0.05,
    "discernment": 0.05,
    "wavering": 0.03,
}
REASONS = "Assessment:\nOne side answers more of what the other says."


class SimulatedDebateJudge(SimulatedBase[dict[str, str]]):
    """A judge of the family above; `simulated/fair` and the other presets set its numbers."""

    def read(self, path: Path | None) -> dict[str, str]:
        """Read the winners of the debates."""
        return read_winners(path, self.who)

    async def ask(self, request: Request) -> Reply:
        """Draw the answer, or a reply that cannot be parsed."""
        debate, variant, settings = request.about(Debate), request.way(Variant), self._spec.settings
        winner: str | None = self.reference(request)
        if winner is None:
            return no_reference(f"there is no winner of debate '{debate.item_id}'")
        if isinstance(variant, Pressed):
            return self._pressed(variant, winner, request)
        generator = self.generator(
            debate.item_id,
            variant.verbalizer,
            variant.position,
            variant.outcome,
            request.template.label,
            request.sample,
        )
        first, second = variant.labels
        draws = generator.random(2)
        if draws[0] < settings["failure_rate"]:
            return offline_reply(draw_one(generator, FAILURES).format(first=first, second=second))
        log_odds = self._log_odds(debate, variant, winner)
        p_con = 1.0 / (1.0 + math.exp(-max(min(log_odds, 700.0), -700.0)))
        answer = variant.con_label if draws[1] < p_con else variant.pro_label
        response = f"{REASONS}\n{answer}" if request.template.is_justified else answer
        logprobs = None
        if settings["probabilities"]:
            logprobs = {
                variant.pro_label: -float(np.logaddexp(0.0, log_odds)),
                variant.con_label: -float(np.logaddexp(0.0, -log_odds)),
            }
        return offline_reply(response, label_logprobs=logprobs)

    def _pressed(self, variant: Pressed, people: str, request: Request) -> Reply:
        """Draw whether the first verdict is given up."""
        planted = {**UNDER_PRESSURE, **self._spec.settings}
        share = planted["wavering"]
        if variant.said_by == LOSER:
            toward = 0.0 if people == "tie" else 1.0 if people != variant.first_winner else -1.0
            share += planted["pliability"] + planted.get(f"by_{variant.rebuttal}", 0.0)
            if is_debater(variant.rebuttal):
                share += planted["by_argument"] * request.prompt.count(REBUTTED)
            share += planted["discernment"] * toward
        draws = self.generator(
            request.item.item_id, variant.words, variant.first_request_id, request.sample
        ).random(2)
        if draws[0] < planted["failure_rate"]:
            return offline_reply(FAILURES[1])
        other = "con" if variant.first_winner == "pro" else "pro"
        named = other if draws[1] < share else variant.first_winner
        return offline_reply(variant.label_of(named))

    def _log_odds(self, debate: Debate, variant: Variant, winner: str) -> float:
        settings = self._spec.settings
        con_wins = {"con": 0.5, "pro": -0.5}.get(winner, 0.0)
        con_ends = {"con": 0.5, "pro": -0.5}.get(debate.end_side or "", 0.0)
        longer = 0.0
        if debate.words_pro and debate.words_con:
            longer = math.log2(debate.words_con / debate.words_pro)
        of_debate = float(self.generator(debate.item_id).standard_normal())
        for_con = (
            settings["ability"] * con_wins
            + settings["order"] * con_ends
            + settings["stance"]
            + settings["length"] * longer
            + settings["debate_sd"] * of_debate
        )
        is_second = 0.5 if variant.first_side == "pro" else -0.5
        is_later = 0.5 if variant.con_label > variant.pro_label else -0.5
        sign = 1.0 if variant.outcome == "winner" else -1.0
        pull = settings["position"] * is_second + settings["label"] * is_later
        return float(sign * for_con + pull)
