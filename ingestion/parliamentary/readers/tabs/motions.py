"""CSV files of the user's own beside a source that lacks what they say: motions, aliases, results.

Of motions tabs know and workbooks of results do not: CSV with a header `debate` (its id or title;
or `title`), and `motion`, `info_slide`, `is_contentious`, each of which may be missing or blank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ingestion.batch import Reject, Rejects, SourceFile, original_of
from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed, land
from ingestion.parliamentary.readers.tabs.rooms import title_key
from ingestion.reading import BrokenRecord
from ingestion.records import Record, read_rows
from warehouse.home import Home
from warehouse.records.core import Dataset
from warehouse.records.parliamentary import AboutDebate

_NAMES = ("debate", "title")
_COLUMNS = ("motion", "info_slide", "is_contentious")
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None}


@dataclass
class UserTable:
    """A user's table, landed; none where the user names no file.

    Attributes:
        landed: The file; None without one.
        rejects: Rows that cannot be used.
    """

    landed: Landed | None = None
    records: int = 0
    rejects: list[Reject] = field(default_factory=Rejects)

    @classmethod
    def of(
        cls, home: Home, location: str | None, dataset: Dataset, *, licence: str = "unknown"
    ) -> UserTable:
        """Land a user's file for a data set."""
        if location is None:
            return cls()
        path = Path(location).expanduser()
        return cls(land(home, path, source=dataset.dataset_id, licence=licence))

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

    @contextmanager
    def whole(self, row: Record) -> Iterator[None]:
        """Quarantine a row where what is read inside breaks the contract."""
        try:
            yield
        except BrokenRecord as broken:
            self.reject(row.place, broken.field, broken.reason, row.fields)


class MotionRow(NamedTuple):
    """What a file says about one debate; None where it is silent."""

    motion: str | None
    info_slide: str | None
    is_contentious: bool | None


@dataclass
class Motions:
    """The motions of a file, found by a debate's title or id in any spelling."""

    table: UserTable
    _rows: dict[str, MotionRow] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def onto(self, debate: AboutDebate, *titles: str) -> AboutDebate:
        """Return a debate with what the file says of it; where it is silent it stays as it is."""
        local = debate.debate_id.partition(":")[2]
        keys = [title_key(name) for name in (debate.debate_id, local, *titles)]
        row = next((self._rows[key] for key in keys if key in self._rows), None)
        if row is None:
            return debate
        self._used.update(keys)
        said = {name: each for name, each in row._asdict().items() if each is not None}
        return replace(debate, **said)

    @property
    def notes(self) -> list[str]:
        """How many rows were used, and which name no debate."""
        if self.table.landed is None:
            return []
        unused = sorted(set(self._rows) - self._used)
        lines = [f"debates with a row in the motions file: {len(self._rows) - len(unused):,}"]
        if unused:
            lines.append(
                f"rows of the motions file that name no debate: {len(unused):,} "
                f"({'; '.join(unused[:5])})"
            )
        return lines


def read_motions(home: Home, location: str | None, dataset: Dataset) -> Motions:
    """Read a file of motions, if there is one.

    A debate named twice with different words is rejected: nobody can say which are right.

    Raises:
        SourceUnreadable: It is no CSV file with a column of debates and one of motions.
    """
    table = UserTable.of(home, location, dataset)
    known: dict[str, MotionRow] = {}
    conflicting: set[str] = set()
    for row in _checked(table):
        fields = {name: str(value or "").strip() for name, value in row.fields.items()}
        key = title_key(next((fields[name] for name in _NAMES if fields.get(name)), ""))
        said = fields.get("is_contentious", "").casefold()
        with table.whole(row):
            if not key:
                raise BrokenRecord("debate", "should name a debate; found nothing")
            if said not in _TRUTHS:
                reason = f"should be true or false, or blank; found {said[:40]!r}"
                raise BrokenRecord("is_contentious", reason)
            motion, info_slide = (fields.get(name) or None for name in ("motion", "info_slide"))
            found = MotionRow(motion, info_slide, _TRUTHS[said])
            if known.setdefault(key, found) != found:
                conflicting.add(key)
                raise BrokenRecord("motion", "this debate has other words in another row")
    for key in conflicting:
        del known[key]
    return Motions(table, known)


def _checked(table: UserTable) -> Iterator[Record]:
    is_checked = False
    for row in table.rows():
        if not is_checked:
            is_checked = True
            has_name = any(name in row.fields for name in _NAMES)
            if not has_name or not any(name in row.fields for name in _COLUMNS):
                shown = table.landed.shown if table.landed else ""
                raise SourceUnreadable(
                    f"ingestion: {shown} has the columns {', '.join(map(str, row.fields))}; "
                    f"expected {' or '.join(_NAMES)}, and some of {', '.join(_COLUMNS)}"
                )
        yield row
