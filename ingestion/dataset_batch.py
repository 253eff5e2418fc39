"""One load of a data set of speeches or debates: records stream into files, then into raw.

The source is read to its end before the database is touched, and memory stays flat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow.parquet as pq

from ingestion.batch import Loadable, Rows, SourceFile, Step
from ingestion.errors import BadStudy
from ingestion.filters import filter_row, funnel, rule_rows
from ingestion.landing import Landed, unfinished
from ingestion.oversight.batch import story_changes
from ingestion.oversight.human_judgements import DASHBOARD, IMPORTED
from ingestion.raw_tables import as_arrow
from ingestion.reading import Reading, StoriesRead
from ingestion.records import Record, file_format, read_rows
from ingestion.speeches.motions import HASHED_SPEECHES, known_debates, move_provisional, rehash
from warehouse.home import Home
from warehouse.records.core import Dataset, Debate, DebateFilter, FilterRule, Removal, Speech
from warehouse.records.debates import HumanVerdict, LoggedVerdict, Outcome, Participant
from warehouse.records.speeches import Dimension, Rating
from warehouse.records.tables import arrow_schema
from warehouse.safe_text import sql_text

_FLUSH_ROWS = 20_000
_FLUSH_CHARS = 8 << 20
# Enough for the indexes of the largest source; the database writes the rest of its work to disk.
_MEMORY = "512MB"
# In the order of loading.
_TABLES: Mapping[type, str] = {
    Dimension: "dimensions",
    Debate: "debates",
    Speech: "speeches",
    Outcome: "debate_outcomes",
    DebateFilter: "debate_filters",
    HumanVerdict: "human_verdicts",
    Participant: "participants",
    Rating: "human_ratings",
    LoggedVerdict: "logged_verdicts",
}
# What a debate no longer has is removed with the load of the debate.
_PARTS = ("speeches", "debate_outcomes", "human_verdicts")
# What readers of the dashboard or imported files judged is nothing the source could withdraw.
_NOT_OF_SOURCE = f"mode in ('{DASHBOARD}', '{IMPORTED}')"


@dataclass(frozen=True, slots=True)
class DebateRecord:
    """One debate with everything that a source has about it.

    Attributes:
        turns: Its speeches, in order.
        outcomes: What people decided, one per criterion.
        removal: The rule that keeps judges from reading it; None when it is kept.
        verdicts: What single people thought.
    """

    debate: Debate
    turns: Sequence[Speech]
    outcomes: Sequence[Outcome] = ()
    removal: Removal | None = None
    verdicts: Sequence[HumanVerdict] = ()


@dataclass(frozen=True, kw_only=True)
class DatasetBatch(Loadable):
    """One load of a data set, ready to be read once.

    Attributes:
        files: Its files. Rows name the first one, ratings the last one.
        records: `DebateRecord`s, and records of single rows such as `Speech`, `Rating` or
            `Participant`, each key once.
        readings: Rejects, notes and counts of the first files, filled while `records` runs.
        rules: The rules that remove debates, in order.
        replaces: Whether a debate that is there loses turns, outcomes and verdicts that this load
            does not have. Otherwise what is there and not in the load stays.
        found: Stories that the debates are about, filled while `records` runs.
        rows: The file of each table's rows; empty before it is read.
    """

    dataset: Dataset
    files: Sequence[SourceFile]
    records: Iterable[Any]
    readings: Sequence[Reading] = ()
    rules: Sequence[FilterRule] = ()
    replaces: bool = True
    found: StoriesRead = field(default_factory=StoriesRead)
    rows: Mapping[str, Path | Sequence[Any]] = field(default_factory=dict)

    @classmethod
    def of_file(
        cls,
        dataset: Dataset,
        landed: Landed,
        reading: Reading,
        make: Callable[[Record], Iterable[Any]],
        names: Mapping[str, str] = MappingProxyType({}),
        *,
        required: Sequence[str] = (),
        first: Iterable[Any] = (),
        replaces: bool = True,
    ) -> DatasetBatch:
        """Return the batch of a file of records: CSV, JSON lines or Parquet.

        Args:
            make: Returns what a record becomes, or raises `BrokenRecord`.
            names: The file's names of our columns, where they differ.
            required: Columns that the file must have.
            first: What is loaded before the records of the file.
        """
        kind = file_format(landed.path)
        records = read_rows(landed.path, kind, shown=landed.shown, required=required)
        return cls(
            dataset=dataset,
            files=[landed.source_file(0)],
            records=chain(first, reading.rows_of(records, make, names)),
            readings=[reading],
            replaces=replaces,
        )

    @property
    def items_of(self) -> str | None:
        """The data set whose item files are written; None where the load has no items."""
        return None if self.rows and "debates" not in self.rows else self.source

    def counted(self) -> DatasetBatch:
        """Return the batch with what its readings have counted and rejected."""
        files = list(self.files)
        for place, reading in enumerate(self.readings):
            files[place] = replace(files[place], records=reading.records, cells=reading.cells)
        return replace(
            self,
            files=files,
            rejects=[reject for reading in self.readings for reject in reading.rejects],
            notes=[note for reading in self.readings for note in reading.notes],
        )

    @contextmanager
    def read(self, home: Home) -> Iterator[DatasetBatch]:
        """Read the source to its end into files that are gone afterwards."""
        with unfinished(home, "spool") as folder:
            with _Spool(folder, self.rules) as spool:
                for record in self.records:
                    spool.add(record)
                spool.flush()
            batch = self.counted()
            notes = [*batch.notes, *spool.notes(self.found)]
            yield replace(batch, notes=notes, rows=spool.paths)

    def checked(self, connection: duckdb.DuckDBPyConnection) -> DatasetBatch:
        """Refuse labels that do not fit those that are there.

        Raises:
            BadStudy: People had other instructions for the labels that are there, or another scale
                for ratings that stay.
        """
        check_policy(connection, self.dataset)
        if self.replaces:
            connection.execute(f"set memory_limit = '{_MEMORY}'")
            return self
        if "dimensions" in self.rows:
            self._check_scales(connection)
        known = known_debates(connection, self.source, self._motions())
        if not known:
            return self
        debates = [row for row in self._rows("debates") if row["debate_id"] not in known]
        speeches = [
            row | {"debate_id": known.get(row["debate_id"], row["debate_id"])}
            for row in self._rows("speeches")
        ]
        return replace(self, rows={**self.rows, "debates": debates, "speeches": speeches})

    def _check_scales(self, connection: duckdb.DuckDBPyConnection) -> None:
        replaced = ""
        if "human_ratings" in self.rows:
            replaced = (
                f"and not exists (from {sql_text(self.rows['human_ratings'])} as given where "
                "given.item_id = ratings.item_id and given.annotator_id = ratings.annotator_id "
                "and given.dimension = ratings.dimension)"
            )
        beyond = connection.execute(
            "select count(*) over (partition by dimension), scale_min, scale_max, value, item_id, "
            "annotator_id from raw.human_ratings as ratings "
            f"inner join {sql_text(self.rows['dimensions'])} as scales "
            "using (dataset_id, dimension) "
            f"where not value between scale_min and scale_max {replaced} "
            "order by dimension, item_id, annotator_id limit 1"
        ).fetchone()
        if beyond is not None:
            count, lowest, highest, value, item, annotator = beyond
            raise BadStudy(
                f"study: of the ratings that are there and not in this load {count} are off the "
                f"scale {lowest:g} to {highest:g}, such as {value:g} of {item} by {annotator}; "
                "load these under another --name, or all ratings again with this scale"
            )

    def _rows(self, table: str) -> list[dict[str, Any]]:
        found = self.rows.get(table, [])
        return pq.read_table(found).to_pylist() if isinstance(found, Path) else [*found]

    def _motions(self) -> dict[str, str]:
        return {row["debate_id"]: row["motion"] for row in self._rows("debates")}

    def changes(self) -> Iterable[Rows | Step]:
        """Return the rows that were read, in the order of loading."""
        dataset_id = self.dataset.dataset_id
        yield Rows("datasets", [self.dataset])
        if self.rules:
            yield rule_rows(dataset_id, self.rules)
        for table in _TABLES.values():
            is_part = self.replaces and table in _PARTS
            rows = self.rows.get(table, [])
            if rows or (is_part and "debates" in self.rows):
                yield Rows(
                    table,
                    rows,
                    file=self.files[-1].label if table == "human_ratings" else None,
                    within="debates" if is_part else None,
                    unless=_NOT_OF_SOURCE if table == "human_verdicts" else "false",
                    staging=HASHED_SPEECHES if table == "speeches" else "",
                )
            if not self.replaces and table == "debates":
                yield Step("speeches", partial(move_provisional, dataset_id, self._motions()))
            if not self.replaces and table == "speeches":
                yield Step("speeches", partial(rehash, dataset_id))
        if self.found.stories:
            stories, questions = self.found.stories.values(), self.found.questions.values()
            yield from story_changes(dataset_id, [*stories], [*questions])


def check_policy(connection: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
    """Refuse labels of a data set whose labels there were given under another policy.

    Raises:
        BadStudy: They were; says under which.
    """
    row = connection.execute(
        "select policy from raw.datasets where dataset_id = ?", [dataset.dataset_id]
    ).fetchone()
    if row is not None and row[0] != dataset.policy:
        there, given = (f"'{one}'" if one else "none stated" for one in (row[0], dataset.policy))
        raise BadStudy(
            f"study: the labels of {dataset.dataset_id} were given under the instructions {there}, "
            f"and these under {given}; figures over both would mix two questions: load these under "
            "another --name, or with the same --policy"
        )


class _Spool(ExitStack):
    """Rows per table, flushed to one Parquet file each whenever enough are waiting."""

    def __init__(self, folder: Path, rules: Sequence[FilterRule]) -> None:
        super().__init__()
        self._folder, self._rules = folder, rules
        self._waiting: dict[str, list[Any]] = {name: [] for name in _TABLES.values()}
        self._count = self._chars = 0
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._removed: Counter[str] = Counter()
        self._debates = self._sides = self._primary = 0
        self._criteria: set[str] = set()
        self.paths: dict[str, Path] = {}

    def add(self, record: Any) -> None:
        """Take in a debate with everything about it, or the record of one row."""
        rows = [record]
        if isinstance(record, DebateRecord):
            rows = [record.debate, *record.turns, *record.outcomes, *record.verdicts]
            if self._rules:
                names = [rule.rule for rule in self._rules]
                debate = record.debate
                row = filter_row(debate.debate_id, debate.dataset_id, record.removal, names)
                self._removed[row.rule] += 1
                rows.append(row)
        for row in rows:
            self._waiting[_TABLES[type(row)]].append(row)
            if isinstance(row, Speech):
                self._chars += len(row.text)
                self._sides += row.side is not None
            elif isinstance(row, Outcome):
                self._primary += row.is_primary
                self._criteria.add(row.criterion)
        self._count += len(rows)
        if self._count >= _FLUSH_ROWS or self._chars >= _FLUSH_CHARS:
            self.flush()

    def flush(self) -> None:
        """Write the waiting rows to the files of their tables."""
        for name, rows in self._waiting.items():
            if rows:
                if name not in self._writers:
                    self.paths[name] = self._folder / f"{name}.parquet"
                    writer = pq.ParquetWriter(
                        self.paths[name], arrow_schema(name), compression="zstd"
                    )
                    self._writers[name] = self.enter_context(writer)
                self._writers[name].write_table(as_arrow(name, rows))
                rows.clear()
        self._count = self._chars = 0

    def notes(self, found: StoriesRead) -> list[str]:
        """Return how many debates each rule removed, and whether none has a human winner."""
        notes = []
        if self._rules:
            notes = [f"debates: {self._removed.total():,}", *funnel(self._rules, self._removed)]
        if found.stories:
            notes.append(f"stories: {len(found.stories):,}")
            notes.append(f"questions about stories: {len(found.questions):,}")
        if self._sides and not self._primary:
            criteria = ", ".join(sorted(self._criteria))
            notes.append(
                "no debate has a human winner: "
                + (f"none of {criteria} is the primary outcome" if criteria else "no outcomes")
                + "; judges are compared with each other, not with people. Where a criterion "
                "decides who won, the source has to make its outcome with is_primary"
            )
        return notes
