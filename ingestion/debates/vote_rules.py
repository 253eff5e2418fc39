"""Which debates with audience votes judges may read: the rules, in order, and their settings."""

from dataclasses import dataclass

from ingestion.debates.sources.ddo import VoteSettings
from warehouse.records.core import FilterRule, Removal
from warehouse.records.debates import Outcome

PRIMARY = "more_convincing_arguments"
DECIDED_BY = "audience_votes"


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
