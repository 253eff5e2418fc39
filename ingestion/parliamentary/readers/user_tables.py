"""A CSV file of the user's own: motions, aliases or results beside a source that lacks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingestion.batch import Reject, SourceFile, original_of
from ingestion.landing import Landed, land
from ingestion.records import Record, read_rows
from warehouse.home import Home
from warehouse.records.core import Dataset


@dataclass
class UserTable:
    """A user's table, landed; none where the user names no file.

    Attributes:
        landed: The file; None without one.
        rejects: Rows that cannot be used.
    """

    landed: Landed | None = None
    records: int = 0
    rejects: list[Reject] = field(default_factory=list)

    @classmethod
    def of(
        cls, home: Home, location: str | None, dataset: Dataset, *, licence: str = "unknown"
    ) -> UserTable:
        """Land a user's file for a data set."""
        if location is None:
            return cls()
        path = Path(location).expanduser()
        origin = str(path.resolve())
        return cls(land(home, path, source=dataset.dataset_id, licence=licence, origin=origin))

    @property
    def files(self) -> list[SourceFile]:
        """The file with the number of rows read, where there is one."""
        return [] if self.landed is None else [self.landed.source_file(self.records)]

    def rows(self, required: Sequence[str] = ()) -> Iterator[Record]:
        """Yield the good rows, and keep the broken ones."""
        if self.landed is None:
            return
        for row in read_rows(self.landed.path, "csv", shown=self.landed.shown, required=required):
            self.records += 1
            if isinstance(row, Reject):
                self.rejects.append(row)
            else:
                yield row

    def reject(self, place: str, name: str | None, reason: str, original: Any) -> None:
        """Quarantine a row."""
        shown = self.landed.shown if self.landed else ""
        self.rejects.append(Reject(shown, place, name, reason, original_of(original)))
