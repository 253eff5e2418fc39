"""Debates on their way into raw: in Parquet files first, so that memory stays flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingestion.contracts import Speech
from ingestion.debates.contracts import KEPT, DebateRecord, FilterRule, Outcome, Participant

_FLUSH_ROWS = 20_000
_FLUSH_CHARS = 8 << 20

_text, _int, _big, _real, _bool = pa.string(), pa.int32(), pa.int64(), pa.float64(), pa.bool_()
SCHEMAS: Mapping[str, pa.Schema] = {
    "debates": pa.schema(
        {
            "debate_id": _text,
            "dataset_id": _text,
            "motion": _text,
            "format": _text,
            "context": _text,
            "extra": _text,
            "category": _text,
            "round_count": _int,
            "end_side": _text,
            "start_date": pa.date32(),
            "voter_count": _big,
            "cluster_id": _text,
        }
    ),
    "speeches": pa.schema(
        {
            "item_id": _text,
            "dataset_id": _text,
            "debate_id": _text,
            "source": _text,
            "text": _text,
            "extra": _text,
            "speech_order": _int,
            "round": _text,
            "side": _text,
            "speaker": _text,
            "speaker_role": _text,
            "word_count": _int,
        }
    ),
    "debate_outcomes": pa.schema(
        {
            "debate_id": _text,
            "dataset_id": _text,
            "criterion": _text,
            "decided_by": _text,
            "is_primary": _bool,
            "winner": _text,
            "margin": _real,
            "votes_pro": _big,
            "votes_con": _big,
            "votes_tie": _big,
            "score_pro": _real,
            "score_con": _real,
            "extra": _text,
        }
    ),
    "debate_filters": pa.schema(
        {
            "debate_id": _text,
            "dataset_id": _text,
            "rule_order": _int,
            "rule": _text,
            "is_removed": _bool,
            "reason": _text,
        }
    ),
    "human_verdicts": pa.schema(
        {
            "debate_id": _text,
            "dataset_id": _text,
            "judge_id": _text,
            "protocol": _text,
            "mode": _text,
            "is_interactive": _bool,
            "step": _int,
            "is_final": _bool,
            "choice": _text,
            "p_pro": _real,
            "explanation": _text,
            "judged_at": pa.timestamp("us"),
            "extra": _text,
        }
    ),
    "participants": pa.schema(
        {
            "participant_id": _text,
            "dataset_id": _text,
            "name": _text,
            "debate_count": _big,
            "won_count": _big,
            "lost_count": _big,
            "tied_count": _big,
            "voted_count": _big,
            "elo": _real,
            "win_ratio": _real,
            "political_ideology": _text,
            "religious_ideology": _text,
            "big_issues": _text,
        }
    ),
}
_SPEECH_FIELDS = tuple(each.name for each in fields(Speech))
_OUTCOME_FIELDS = tuple(each.name for each in fields(Outcome))


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
        self._orders = {rule.rule: place for place, rule in enumerate(rules, start=1)}
        self._orders[KEPT] = len(self._orders) + 1
        self._waiting: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
        self._rows = self._chars = 0
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._stack = ExitStack()
        self.by_rule: Counter[str] = Counter()

    def __enter__(self) -> Spool:
        for name, schema in SCHEMAS.items():
            writer = pq.ParquetWriter(self.path(name), schema, compression="zstd")
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
        self._put("debates", asdict(debate))
        for turn in record.turns:
            row = {name: getattr(turn, name) for name in _SPEECH_FIELDS}
            self._put("speeches", row | {"word_count": len(turn.text.split())})
            self._chars += len(turn.text)
        for outcome in record.outcomes:
            row = {name: getattr(outcome, name) for name in _OUTCOME_FIELDS}
            self._put("debate_outcomes", row)
        rule = record.removal.rule if record.removal else KEPT
        self.by_rule[rule] += 1
        self._put(
            "debate_filters",
            {
                "debate_id": debate.debate_id,
                "dataset_id": debate.dataset_id,
                "rule_order": self._orders[rule],
                "rule": rule,
                "is_removed": record.removal is not None,
                "reason": record.removal.reason if record.removal else None,
            },
        )
        for verdict in record.verdicts:
            self._put("human_verdicts", asdict(verdict))
        if self._rows >= _FLUSH_ROWS or self._chars >= _FLUSH_CHARS:
            self._flush()

    def add_participant(self, participant: Participant) -> None:
        """Take in a person."""
        self._put("participants", asdict(participant))
        if self._rows >= _FLUSH_ROWS:
            self._flush()

    def _put(self, table: str, row: dict[str, Any]) -> None:
        self._waiting[table].append(row)
        self._rows += 1

    def _flush(self) -> None:
        for name, rows in self._waiting.items():
            if rows:
                self._writers[name].write_table(pa.Table.from_pylist(rows, SCHEMAS[name]))
                rows.clear()
        self._rows = self._chars = 0
