"""What a source hands to the loader: rows of raw tables, what was rejected, and the files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ingestion.errors import TooManyRejected
from ingestion.json_values import storable

if TYPE_CHECKING:
    import duckdb

    from warehouse.home import Home
    from warehouse.records.core import Dataset

MAX_REJECTED = 0.05
_SHOWN_AT_MOST = 5
# What an original may take in quarantine, all of a file together, and each beyond that; the whole
# file is in the landing anyway.
ORIGINAL_CHARS = 100_000
_ORIGINALS_CHARS = 2**24
_SHORT_ORIGINAL_CHARS = 200
_REJECTS_AT_MOST = 250_000


class Reject(NamedTuple):
    """One record, or part of one, that broke the contract.

    Attributes:
        file: The file as the user named it.
        record: Which record, for example "record 12 (line 40)".
        field: The column at fault; None when it is the record as a whole.
        reason: What is wrong and what was expected.
        original: What the file has there.
        weight: How many records are lost with it, where a broken quote swallows several; of a part
            that counts as cells, how many cells.
        is_cells: Whether only cells of the record are lost, in a file that counts its cells.
    """

    file: str
    record: str
    field: str | None
    reason: str
    original: str | None
    weight: int = 1
    is_cells: bool = False

    @property
    def sentence(self) -> str:
        """The reject in one line, for an error message or a report."""
        where = f"{self.file}, {self.record}" + (f", field '{self.field}'" if self.field else "")
        return f"{where}: {self.reason}"


class Rejects(list[Reject]):
    """The rejects of a file that is being read, in bounded memory."""

    _chars = 0

    def append(self, reject: Reject) -> None:
        """Keep a reject; once the originals are many, only the beginning of its original.

        Raises:
            TooManyRejected: There are too many for a file that is what it should be.
        """
        if len(self) >= _REJECTS_AT_MOST:
            raise TooManyRejected(
                f"ingestion: {reject.file} was refused and nothing of it loaded: more than "
                f"{_REJECTS_AT_MOST:,} records break the contract; correct the file, or load it in "
                f"parts\n  {self[0].sentence}"
            )
        original = reject.original or ""
        if self._chars > _ORIGINALS_CHARS and original:
            original = original[:_SHORT_ORIGINAL_CHARS]
            reject = reject._replace(original=original)
        self._chars += len(original)
        super().append(reject)


@dataclass(frozen=True)
class SourceFile:
    """One file of a load.

    Attributes:
        label: Where it lies under the home; what `_source_file` holds.
        sha256: Of its bytes.
        records: Records it has, rejected ones included.
        cells: Cells that are rejected on their own, valid ones included; 0 where none are.
    """

    shown: str
    label: str
    sha256: str
    records: int
    cells: int = 0


@dataclass(frozen=True)
class Rows:
    """Rows of one raw table. One whose key is there already with other content is an update.

    Attributes:
        rows: Records, mappings of columns (those that are missing are null), or a Parquet file.
        file: For `_source_file`; the batch's first file when not given.
        within: Rows that are there and not in the batch go, where they belong to a row that the
            batch brought of this table; all stay when not given.
        by: The column by which they belong to it; its key when not given.
        kept: All rows of the batch, where these are but a part of them.
        unless: As SQL, which rows stay all the same.
        staging: As SQL over `arrived`, the rows with their hashes; without it they have none.
    """

    table: str
    rows: Sequence[Any] | Path
    file: str | None = None
    within: str | None = None
    by: str | None = None
    kept: Sequence[Any] | None = None
    unless: str = "false"
    staging: str = ""


@dataclass(frozen=True)
class Counts:
    """How many rows a load added, changed, and found as they were."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.new + other.new, self.updated + other.updated, self.unchanged + other.unchanged
        )


# Given a writer's connection in a transaction, a file for `_source_file` and the load's time.
Change = Callable[["duckdb.DuckDBPyConnection", str, datetime], Counts]


@dataclass(frozen=True)
class Step:
    """A change of one raw table that is more than rows.

    Attributes:
        change: Makes it with the batch's first file, and counts the rows.
    """

    table: str
    change: Change


class _Sourced:
    """What batches have as fields in an order of their own."""

    dataset: Dataset
    files: Sequence[SourceFile]


@dataclass(frozen=True, kw_only=True)
class Loadable(_Sourced):
    """What the loader asks of a batch.

    Attributes:
        rejects: What broke the contract.
        notes: What a user should know about how the source was read.
        kind: What the record of the load calls it.
    """

    rejects: Sequence[Reject] = ()
    notes: Sequence[str] = ()
    kind = "dataset"

    @property
    def source(self) -> str:
        """What the record of the load names."""
        return self.dataset.dataset_id

    @property
    def task(self) -> str:
        """What other writers are told to wait for."""
        return f"ingest {self.source}"

    @property
    def items_of(self) -> str | None:
        """The data set whose item files are written; None where no item changes."""
        return self.source

    def read(self, home: Home) -> AbstractContextManager[Self]:
        """Read the source to its end, before the database is touched."""
        del home
        return nullcontext(self)

    def checked(self, connection: duckdb.DuckDBPyConnection) -> Self:
        """Return the batch as it is loaded beside what is there, or refuse it."""
        del connection
        return self

    def changes(self) -> Iterable[Rows | Step]:
        """Return what is loaded, in the order of loading."""
        raise NotImplementedError


def original_of(fields: Any) -> str:
    """Return a record as JSON text for quarantine, long ones cut."""
    text = json.dumps(fields, ensure_ascii=False, default=str, sort_keys=True)
    # A lone surrogate may be the very reason for the reject, and no database takes one.
    return storable(text[:ORIGINAL_CHARS])


def refuse_too_many(
    files: Iterable[SourceFile], rejects: Sequence[Reject], max_rejected: float
) -> None:
    """Refuse a load when too large a share of one of its files' records, or cells, is rejected.

    A record that is only partly rejected (one rating of fifteen) counts as rejected here, except in
    a file that counts its cells: there cells are compared with cells, and records with records.

    Args:
        files: The files of the load.
        rejects: All rejects of the load.
        max_rejected: The largest share allowed, 0 to 1.

    Raises:
        TooManyRejected: A share is larger. Shows the first rejects.
    """
    for source in files:
        own = [reject for reject in rejects if reject.file == source.shown]
        if not source.cells:
            own = [each._replace(weight=1) if each.is_cells else each for each in own]
            own = [each._replace(is_cells=False) for each in own]
        records = {reject.record: reject.weight for reject in own if not reject.is_cells}
        cells = sum(reject.weight for reject in own if reject.is_cells)
        for rejected, total, noun in (
            (sum(records.values()), source.records, "records"),
            (cells, source.cells, "cells"),
        ):
            if rejected <= max_rejected * total:
                continue
            at_fault = [reject for reject in own if reject.is_cells == (noun == "cells")]
            shown, hidden = at_fault[:_SHOWN_AT_MOST], len(at_fault) - _SHOWN_AT_MOST
            lines = "".join(f"\n  {reject.sentence}" for reject in shown)
            more = f"\n  and {hidden} more" if hidden > 0 else ""
            message = (
                f"ingestion: {source.shown} was refused and nothing of it loaded: {rejected} of "
                f"{total} {noun} break the contract, at most {max_rejected:.0%} may; correct the "
                f"file, or allow more with --max-rejected{lines}{more}"
            )
            raise TooManyRejected(message)
