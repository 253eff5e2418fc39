"""Raw tables of kinds and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

# An answer line's `status` where there is a reply.
ANSWERED = "answered"
# The experiment and the wording of answers made elsewhere.
IMPORTED = "imported"
# Usage of a row whose request is counted by another row.
NOT_COUNTED_TWICE: Mapping[str, Any] = MappingProxyType(
    {
        "cost_usd": 0.0,
        "tokens_in": None,
        "tokens_out": None,
        "tokens_cached": None,
        "latency_s": None,
        "attempts": None,
    }
)
# Rows that hang on an answer, by their table.
Parts = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class About:
    """Foreign key of a raw table.

    Attributes:
        key: The column, null where a row is about nothing; also the field of those quarantined.
        words: A row whose key is nowhere, for a message.
        may_come: Whether another journal of the same load may bring it.
    """

    key: str
    known: str
    words: str
    advice: str = "ingest its data set, then load again"
    may_come: bool = False


@dataclass(frozen=True)
class Table:
    """Raw table that journal lines become rows of.

    Attributes:
        key: The columns that identify a row within its run.
        parts: The tables of rows that hang on one of these, with what identifies those.
        adds_up: Whether the lines of a request each count what no other does.
    """

    name: str
    key: tuple[str, ...] = ("request_id",)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    about: tuple[About, ...] = ()
    adds_up: bool = False


class Row(NamedTuple):
    """Row of a kind's table, of an answer line or of one of the items it is about.

    Attributes:
        row: The columns, but for those of the run's header. Lists and objects become JSON.
        parts: The rows of other tables that hang on it.
        failure: Why the request brought none of the rows it stands for; None where it is one.
    """

    row: dict[str, Any]
    parts: Parts = MappingProxyType({})
    failure: str | None = None
