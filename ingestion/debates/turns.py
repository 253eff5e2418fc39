"""Rows of debates: turns, outcomes, and the hash of a debate's text."""

from collections.abc import Mapping
from typing import Any

from warehouse.records.core import Speech, Winner
from warehouse.records.debates import Outcome

# A debate's hash as SQL over its turns: the hashes of the turns, each of which covers the motion
# and its text, in the order they were spoken. The marts compute the same, to know stale verdicts.
DEBATE_HASH = (
    "left(sha256(string_agg(item_hash, chr(10) order by speech_order nulls last, item_id)), 16)"
)


def debate_hash(table: str) -> str:
    """Return a query of debates' hashes, one row (debate_id, debate_hash) per debate with turns.

    Args:
        table: The table of turns, with `debate_id`, `item_id`, `item_hash` and `speech_order`.
    """
    return f"select debate_id, {DEBATE_HASH} as debate_hash from {table} group by debate_id"


def turn_of(of: Mapping[str, Any], number: int, text: str, who: str, **more: Any) -> Speech:
    """Return a turn as a row of the debate `of` names."""
    return Speech(
        **of,
        item_id=f"{of['debate_id']}:{number}",
        source=who,
        text=text,
        speech_order=number,
        **{"speaker": who, **more},
    )


def leader(pro: float, con: float) -> tuple[Winner, float]:
    """Return who is ahead and by how much; a tie is 0. Sums of percentages are float sums."""
    lead = round(pro - con, 6)
    return ("pro" if lead > 0 else "con" if lead < 0 else "tie"), abs(lead)


def outcome_of(
    of: Mapping[str, Any],
    criterion: str,
    *,
    decided_by: str,
    is_primary: bool,
    votes: Mapping[str, int] | None = None,
    scores: tuple[float, float] | None = None,
    extra: str | None = None,
) -> Outcome:
    """Return what people decided about the debate `of` names.

    Args:
        criterion: What they decided, such as `more_convincing_arguments`.
        decided_by: Who decided, such as `audience_votes`.
        is_primary: Whether this is the human winner that judges are compared with. A data set has
            one such criterion.
        votes: How many voted for `pro`, `con` and `tie`.
        scores: The points of pro and con, where people did not vote.
    """
    columns: dict[str, Any] = {}
    if scores is None:
        counts = votes or {}
        columns = {f"votes_{side}": counts.get(side, 0) for side in ("pro", "con", "tie")}
        winner, margin = leader(columns["votes_pro"], columns["votes_con"])
    else:
        columns = {"score_pro": scores[0], "score_con": scores[1]}
        winner, margin = leader(*scores)
    return Outcome(
        **of,
        criterion=criterion,
        decided_by=decided_by,
        is_primary=is_primary,
        winner=winner,
        margin=margin,
        **columns,
        extra=extra,
    )
