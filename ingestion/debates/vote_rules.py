"""Which debates with audience votes judges may read: the rules, in order, and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from ingestion.errors import UnknownSource
from warehouse.records.core import FilterRule, Removal, Winner
from warehouse.records.debates import Outcome


@dataclass(frozen=True)
class VoteSettings:
    """What a debate must have to be used.

    Attributes:
        margin: The winner must be ahead by more votes than this.
        min_rounds: Fewest rounds.
        max_rounds: Most rounds.
    """

    margin: int = 2
    min_rounds: int = 3
    max_rounds: int = 5

    @classmethod
    def of(cls, values: Mapping[str, str]) -> VoteSettings:
        """Return settings from what a user wrote.

        Raises:
            UnknownSource: There is no such setting, or its value cannot be used.
        """
        known = [each.name for each in fields(cls)]
        numbers: dict[str, int] = {}
        for name, text in values.items():
            if name not in known:
                raise UnknownSource(
                    f"ingestion: no setting named '{name}'; expected one of {', '.join(known)}"
                )
            if not text.strip().isdecimal():
                raise UnknownSource(
                    f"ingestion: setting {name} should be a whole number from 0; found {text!r}"
                )
            numbers[name] = int(text)
        settings = cls(**numbers)
        if settings.min_rounds > settings.max_rounds:
            raise UnknownSource(
                f"ingestion: min_rounds {settings.min_rounds} is more than max_rounds "
                f"{settings.max_rounds}; no debate could be kept"
            )
        return settings


@dataclass(frozen=True, kw_only=True)
class VotedDebate:
    """What the rules look at.

    Attributes:
        round_count: Rounds, as the source counts them.
        is_forfeited: Whether the source calls it forfeited.
        forfeited_turns: Turns that are nothing but a forfeit.
        sideless_turns: Turns nobody can attribute to a side.
        silent_side: A side that never speaks.
        outcome: The votes on the criterion that decides; None when nobody voted on it.
    """

    round_count: int
    is_forfeited: bool
    forfeited_turns: int
    sideless_turns: int
    silent_side: str | None
    outcome: Outcome | None


def vote_rules(settings: VoteSettings) -> list[FilterRule]:
    """Return the rules in the order they are applied."""
    rounds = f"{settings.min_rounds} to {settings.max_rounds}"
    return [
        FilterRule("forfeit_label", "The source says that a side forfeited."),
        FilterRule("forfeit_turn", "A turn is nothing but the word forfeit."),
        FilterRule("round_count", "Too few or too many rounds.", rounds),
        FilterRule("turn_without_side", "A turn names no side, so nobody knows who said it."),
        FilterRule("silent_side", "One side says nothing at all."),
        FilterRule("no_votes", "Nobody voted on the criterion that decides."),
        FilterRule("margin", "The winner is not far enough ahead.", f"more than {settings.margin}"),
    ]


def removal(debate: VotedDebate, settings: VoteSettings) -> Removal | None:
    """Return the first rule that a debate breaks; None when it is kept."""
    if debate.is_forfeited:
        return Removal("forfeit_label", "a side forfeited")
    if debate.forfeited_turns:
        return Removal("forfeit_turn", f"forfeited turns: {debate.forfeited_turns}")
    if not settings.min_rounds <= debate.round_count <= settings.max_rounds:
        return Removal("round_count", f"rounds: {debate.round_count}")
    if debate.sideless_turns:
        return Removal("turn_without_side", f"turns without a side: {debate.sideless_turns}")
    if debate.silent_side:
        return Removal("silent_side", f"{debate.silent_side} says nothing")
    if debate.outcome is None:
        return Removal("no_votes", "nobody voted on this criterion")
    margin = debate.outcome.margin or 0
    if margin <= settings.margin:
        return Removal("margin", f"margin: {margin:g}")
    return None


def leader(pro: float, con: float) -> tuple[Winner, float]:
    """Return who is ahead and by how much; a tie is 0. Sums of percentages are float sums."""
    lead = round(pro - con, 6)
    return ("pro" if lead > 0 else "con" if lead < 0 else "tie"), abs(lead)
