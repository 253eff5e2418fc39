"""What one model is asked within a transcript: its role, its side and what has been said so far."""

from __future__ import annotations

from dataclasses import dataclass

from inference.oversight.items import OversightTurn

DEBATER, ASK, PREFER, CRITICISE, REFINE = ROLES = (
    "debater",
    "asker",
    "preference",
    "critique",
    "refine",
)


@dataclass(frozen=True)
class DebateRole:
    """One request within a transcript, for judges that look at more than the prompt.

    Attributes:
        role: One of `ROLES`.
        argues: The answer that is argued for: by who writes, or by whose draft is looked at; None
            for who asks.
        protocol: `consultancy` or `debate`.
        round: The round, from 1.
        rounds: How many there are.
        word_limit: The most words of a turn.
        candidate: Which of several drafts of the turn this is, from 0.
        attempt: How often this draft was begun before, because it was unusable.
        turns: What was said so far, as it is shown.
        draft: What is criticised, written again or weighed; None where something new is written.
        answer_order: The order in which a preference judge is shown the answers, `01` or `10`.
    """

    role: str
    argues: int | None
    protocol: str
    round: int
    rounds: int
    word_limit: int
    candidate: int = 0
    attempt: int = 0
    turns: tuple[OversightTurn, ...] = ()
    draft: str | None = None
    answer_order: str = "01"

    @property
    def words(self) -> str:
        """The role, its side and its place, for people and for seeds."""
        side = "" if self.argues is None else f" for answer {self.argues}"
        place = f"round {self.round}, candidate {self.candidate}, attempt {self.attempt}"
        return f"{self.role}{side}, {place}, answers {self.answer_order}"
