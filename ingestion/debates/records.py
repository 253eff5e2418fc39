"""One debate with everything a source says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warehouse.records.core import Debate, Removal, Speech
from warehouse.records.debates import HumanVerdict, Outcome


@dataclass(frozen=True, slots=True)
class DebateRecord:
    """One debate with everything a source says about it.

    Attributes:
        debate: The debate.
        turns: What was said, in order.
        outcomes: What people decided, one per criterion.
        removal: The rule that keeps judges from reading it; None when it is kept.
        verdicts: What single people thought.
    """

    debate: Debate
    turns: Sequence[Speech]
    outcomes: Sequence[Outcome] = ()
    removal: Removal | None = None
    verdicts: Sequence[HumanVerdict] = ()
