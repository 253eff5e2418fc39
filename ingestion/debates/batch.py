"""One load of a source of debates: read to its end into files first, so that memory stays flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

from ingestion.batch import Loadable, Rows, SourceFile, Step
from ingestion.filters import filter_row, funnel, removed_by, rule_rows
from ingestion.landing import unfinished
from ingestion.oversight.batch import story_changes
from ingestion.oversight.human_judgements import DASHBOARD, IMPORTED
from ingestion.raw_tables import as_arrow
from ingestion.reading import Reading, StoriesRead
from ingestion.speeches.motions import HASHED_SPEECHES
from warehouse.home import Home
from warehouse.records.core import Dataset, Debate, FilterRule, Removal, Speech
from warehouse.records.debates import HumanVerdict, Outcome, Participant
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
# Enough for the indexes of the largest source; the database writes the rest of its work to disk.
_MEMORY = "512MB"
# What a debate no longer has is removed with the load that says so.
_PARTS = ("speeches", "debate_outcomes", "human_verdicts")
# What readers of the dashboard or imported files judged is nothing the source could withdraw.
_NOT_OF_SOURCE = f"mode in ('{DASHBOARD}', '{IMPORTED}')"


@dataclass(frozen=True, slots=True)
class DebateRecord:
    """One debate with everything a source says about it.

    Attributes:
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
        self.by_rule: Counter[str] = Counter()

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the files open, and write what waits at the end unless there is an error."""
        with ExitStack() as stack:
            for name in TABLES:
                writer = pq.ParquetWriter(self.path(name), arrow_schema(name), compression="zstd")
                self._writers[name] = stack.enter_context(writer)
            yield
            self._flush()

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


@dataclass(frozen=True)
class DebateSource(Loadable):
    """A source of debates, ready to be read once.

    A debate that is there already gets the turns, outcomes and verdicts of this load and no others;
    debates that the source does not have stay.

    Attributes:
        rules: Its filter rules, in order.
        files: Where it comes from; the first is what rows name as their file. Its count of
            records is that of `reading` once everything was read.
        reading: Filled while `records` runs.
        records: The debates, one in memory at a time.
        participants: People, read after the debates.
        people: Filled while `participants` runs; None without a file of people, else the second
            of `files` is theirs.
        found: Stories the debates are about, filled while `records` runs; empty for most sources.
        spool: What was read; None before.
    """

    dataset: Dataset
    rules: Sequence[FilterRule]
    files: Sequence[SourceFile]
    reading: Reading
    records: Iterable[DebateRecord]
    participants: Iterable[Participant] = ()
    people: Reading | None = None
    found: StoriesRead = field(default_factory=StoriesRead)
    spool: Spool | None = None

    @contextmanager
    def read(self, home: Home) -> Iterator[DebateSource]:
        """Read the source to its end into files that are gone afterwards."""
        with unfinished(home, "spool") as folder:
            spool = Spool(folder, self.rules)
            with spool.opened():
                for record in self.records:
                    spool.add(record)
                for participant in self.participants:
                    spool.add_participant(participant)
            readings = [self.reading, *([self.people] if self.people else [])]
            files = list(self.files)
            for place, reading in enumerate(readings):
                files[place] = replace(files[place], records=reading.records)
            yield replace(
                self,
                files=files,
                rejects=[reject for reading in readings for reject in reading.rejects],
                notes=[*(note for each in readings for note in each.notes), *self._funnel(spool)],
                spool=spool,
            )

    def checked(self, connection: duckdb.DuckDBPyConnection) -> DebateSource:
        """Leave the database little memory: its work goes to disk."""
        connection.execute(f"set memory_limit = '{_MEMORY}'")
        return self

    def changes(self) -> Iterable[Rows | Step]:
        """Return the rows that were read."""
        if self.spool is None:
            raise RuntimeError(f"ingestion: {self.source} was not read before it was loaded")
        yield Rows("datasets", [self.dataset])
        yield rule_rows(self.dataset.dataset_id, self.rules)
        for table in TABLES:
            yield Rows(
                table,
                self.spool.path(table),
                within="debates" if table in _PARTS else None,
                unless=_NOT_OF_SOURCE if table == "human_verdicts" else "false",
                staging=HASHED_SPEECHES if table == "speeches" else "",
            )
        if self.found.stories:
            stories, questions = self.found.stories.values(), self.found.questions.values()
            yield from story_changes(self.dataset.dataset_id, [*stories], [*questions])

    def _funnel(self, spool: Spool) -> list[str]:
        """Say how many debates each rule removed."""
        stories, questions = self.found.stories, self.found.questions
        read = [f"stories: {len(stories):,}", f"questions about stories: {len(questions):,}"]
        return [
            f"debates: {spool.by_rule.total():,}",
            *funnel(self.rules, spool.by_rule),
            *(read if stories else []),
        ]
