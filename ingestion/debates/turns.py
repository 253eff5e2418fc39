"""What a verdict is about: a debate, and the text it had."""

from collections.abc import Mapping
from typing import Any

from warehouse.records.core import Speech

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
        speaker=who,
        **more,
    )
