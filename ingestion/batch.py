"""What a source hands to the loader: valid records, rejected ones, and the files they came from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ingestion.contracts import Dataset, Debate, Dimension, Rating, Speech
from ingestion.errors import TooManyRejected

MAX_REJECTED = 0.05
_SHOWN_AT_MOST = 5
# What an original may take in quarantine; the whole file is in the landing anyway.
_ORIGINAL_CHARS = 100_000


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


@dataclass(frozen=True)
class SourceFile:
    """One file of a load.

    Attributes:
        shown: The file as the user named it.
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
class Batch:
    """One load of one data set.

    Attributes:
        dataset: The data set.
        dimensions: What people were asked.
        debates: Its debates, each id once.
        speeches: Its items, each id once.
        ratings: Its ratings, each (item, annotator, dimension) once.
        rejects: What broke the contract.
        files: Where the records come from; ratings come from the last one.
        notes: What a user should know about how the source was read.
    """

    dataset: Dataset
    dimensions: Sequence[Dimension]
    debates: Sequence[Debate]
    speeches: Sequence[Speech]
    ratings: Sequence[Rating]
    rejects: Sequence[Reject] = ()
    files: Sequence[SourceFile] = ()
    notes: Sequence[str] = field(default=())


def original_of(fields: Any) -> str:
    """Return a record as JSON text for quarantine, long ones cut."""
    text = json.dumps(fields, ensure_ascii=False, default=str, sort_keys=True)
    # A lone surrogate may be the very reason for the reject, and no database takes one.
    return storable(text[:_ORIGINAL_CHARS])


def storable(text: str) -> str:
    """Return a text with each lone surrogate replaced by U+FFFD, as databases need it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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
