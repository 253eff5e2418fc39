"""Debates on their way into raw: in Parquet files first, so that memory stays flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow.parquet as pq

from ingestion.debates.records import DebateRecord
from ingestion.filters import filter_row, removed_by
from ingestion.raw_tables import as_arrow
from warehouse.records.core import FilterRule
from warehouse.records.debates import Participant
from warehouse.records.tables import arrow_schema

_FLUSH_ROWS = 20_000
_FLUSH_CHARS = 8 << 20

TABLES = (
    "debates",
    "speeches",
    "debate_outcomes",
    "debate_filters",
    "human_verdicts",
    "participants",
)


class Spool:
    """Rows per table, flushed to one Parquet file each whenever enough are waiting.

    Args:
        folder: Where to write.
        rules: The source's filter rules, in order.

    Attributes:
        by_rule: How many debates each rule removed, and how many are `kept`.
    """

    def __init__(self, folder: Path, rules: Iterable[FilterRule]) -> None:
        self._folder = folder
        self._rules = [rule.rule for rule in rules]
        self._waiting: dict[str, list[Any]] = {name: [] for name in TABLES}
        self._rows = self._chars = 0
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._stack = ExitStack()
        self.by_rule: Counter[str] = Counter()

    def __enter__(self) -> Spool:
        for name in TABLES:
            writer = pq.ParquetWriter(self.path(name), arrow_schema(name), compression="zstd")
            self._writers[name] = self._stack.enter_context(writer)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._flush()
        self._stack.close()

    def path(self, table: str) -> Path:
        """Return the file of a table's rows."""
        return self._folder / f"{table}.parquet"

    def add(self, record: DebateRecord) -> None:
        """Take in a debate with everything about it."""
        debate = record.debate
        self._put("debates", debate)
        for turn in record.turns:
            self._put("speeches", turn)
            self._chars += len(turn.text)
        for outcome in record.outcomes:
            self._put("debate_outcomes", outcome)
        self.by_rule.update(removed_by([record.removal]))
        row = filter_row(debate.debate_id, debate.dataset_id, record.removal, self._rules)
        self._put("debate_filters", row)
        for verdict in record.verdicts:
            self._put("human_verdicts", verdict)
        if self._rows >= _FLUSH_ROWS or self._chars >= _FLUSH_CHARS:
            self._flush()

    def add_participant(self, participant: Participant) -> None:
        """Take in a person."""
        self._put("participants", participant)
        if self._rows >= _FLUSH_ROWS:
            self._flush()

    def _put(self, table: str, row: object) -> None:
        self._waiting[table].append(row)
        self._rows += 1

    def _flush(self) -> None:
        for name, rows in self._waiting.items():
            if rows:
                self._writers[name].write_table(as_arrow(name, rows))
                rows.clear()
        self._rows = self._chars = 0
