"""How many messages a transcript takes, and what it can cost at most."""

from collections.abc import Mapping
from typing import NamedTuple

from inference.judges.parties import Party
from inference.judges.request import Request
from inference.oversight.debating.records import ASK, CRITICISE, DEBATER, PREFER, REFINE
from inference.oversight.items import CONSULTANCY, DebatePlan, ReadingQuestion
from inference.tokens import at_most

# How often a text is asked for until it can be used as it is.
ATTEMPTS = 3
# The bytes of every prompt but the debater's, without what is put in.
_FRAME_BYTES = 2048
# Behind a speaker's name: the round, brackets, and what quotes are marked with.
_TURN_BYTES = 256


class Messages(NamedTuple):
    """The messages of one role that a transcript takes.

    Attributes:
        asked: The sender: `own`, `opponent`, `asker` or `preference_judge`.
        usual: How many where every text can be used.
        most: How many where none can be.
    """

    role: str
    asked: str
    usual: int
    most: int


def messages_of(plan: DebatePlan) -> tuple[Messages, ...]:
    """Return how many messages a transcript takes, role by role."""
    texts = plan.rounds * plan.best_of
    sides = ["own"] if plan.protocol == CONSULTANCY else ["own", "opponent"]
    found: list[Messages] = []
    for side in sides:
        found.append(Messages(DEBATER, side, texts, ATTEMPTS * texts))
        if plan.refine:
            again = texts * plan.refine
            found += [
                Messages(CRITICISE, side, again, again),
                Messages(REFINE, side, again, ATTEMPTS * again),
            ]
    if plan.best_of > 1:
        weighed = 2 * texts * len(sides)
        found.append(Messages(PREFER, "preference_judge", weighed, weighed))
    if plan.asker is not None:
        found.append(Messages(ASK, "asker", plan.rounds - 1, ATTEMPTS * (plan.rounds - 1)))
    return tuple(found)


def most_usd(request: Request, parties: Mapping[str, Party]) -> tuple[float, float]:
    """Return the most a transcript can cost, and the most that one message of it can.

    Args:
        parties: The participants, by `Messages.asked`.

    Raises:
        BadSettings: A participant is paid for, and no price is known.
    """
    plan, question = request.way(DebatePlan), request.about(ReadingQuestion)
    longest = max(party.most_tokens_out(request) for party in parties.values())
    answers = sum(map(at_most, question.answers))
    sides = 1 if plan.protocol == CONSULTANCY else 2
    asks = plan.rounds if plan.asker is not None else 0
    said = (plan.rounds * sides + asks) * (longest + answers + _TURN_BYTES)
    frame = _FRAME_BYTES + at_most(question.question) + answers + said
    total = dearest = 0.0
    for role, asked, _, most in messages_of(plan):
        party = parties[asked]
        # With a draft and what was found lacking in it.
        tokens_in = frame + 2 * longest
        tokens_in += at_most(str(party.spec.settings.get("system_prompt", "")))
        if role in (DEBATER, CRITICISE, REFINE):
            tokens_in += at_most(request.sent)
        each = party.most_usd(tokens_in, request)
        total, dearest = total + most * each, max(dearest, each)
    return total, dearest
