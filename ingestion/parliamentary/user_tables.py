"""CSV files of the user's own for what a source lacks: motions, aliases, results.

A file of motions has a header `debate` (its id or title; or `title`), and `motion`, `info_slide`,
`is_contentious`, each of which may be missing or blank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ingestion.batch import SourceFile
from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed, land
from ingestion.parliamentary.tagged import title_key
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, read_rows
from warehouse.home import Home
from warehouse.records.core import Dataset
from warehouse.records.parliamentary import AboutDebate

_NAMES = ("debate", "title")
_COLUMNS = ("motion", "info_slide", "is_contentious")
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None}


@dataclass
class UserTable(Reading):
    """A user's table; empty where the user names no file."""

    landed: Landed | None = None

    @classmethod
    def of(
        cls, home: Home, location: str | None, dataset: Dataset, *, licence: str = "unknown"
    ) -> UserTable:
        """Land a user's file for a data set."""
        if location is None:
            return cls("")
        path = Path(location).expanduser()
        landed = land(home, path, source=dataset.dataset_id, licence=licence)
        return cls(landed.shown, landed=landed)

    @property
    def files(self) -> list[SourceFile]:
        """The file with the number of rows read, where there is one."""
        return [] if self.landed is None else [self.source_file(self.landed)]

    def rows(self, required: Sequence[str] = ()) -> Iterator[Record]:
        """Yield the good rows, and reject the broken ones."""
        if self.landed is not None:
            yield from self.kept(
                read_rows(self.landed.path, "csv", shown=self.shown, required=required)
            )


@dataclass
class Motions:
    """The rows of a file of motions, by the key of a debate's title or id."""

    table: UserTable
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def add_to(self, debate: AboutDebate, *titles: str) -> AboutDebate:
        """Return a debate with the fields that the file has for it."""
        local = debate.debate_id.partition(":")[2]
        keys = [title_key(name) for name in (debate.debate_id, local, *titles)]
        row = next((self.rows[key] for key in keys if key in self.rows), None)
        if row is None:
            return debate
        self.used.update(keys)
        return replace(debate, **row)

    @property
    def notes(self) -> list[str]:
        """Number of rows used, and the rows without a debate."""
        if self.table.landed is None:
            return []
        unused = sorted(set(self.rows) - self.used)
        lines = [f"debates with a row in the motions file: {len(self.rows) - len(unused):,}"]
        if unused:
            lines.append(
                f"rows of the motions file that name no debate: {len(unused):,} "
                f"({'; '.join(unused[:5])})"
            )
        return lines


def read_motions(home: Home, location: str | None, dataset: Dataset) -> Motions:
    """Read a file of motions, if there is one.

    A debate that two rows give different words is rejected.

    Raises:
        SourceUnreadable: It is no CSV file with a column of debates and one of motions.
    """
    table = UserTable.of(home, location, dataset)
    found: dict[str, dict[str, Any]] = {}
    conflicting: set[str] = set()
    for row in table.rows():
        if not set(_NAMES) & set(row.fields) or not set(_COLUMNS) & set(row.fields):
            raise SourceUnreadable(
                f"ingestion: {table.shown} has the columns {', '.join(map(str, row.fields))}; "
                f"expected {' or '.join(_NAMES)}, and some of {', '.join(_COLUMNS)}"
            )
        fields = {name: str(value or "").strip() for name, value in row.fields.items()}
        key = title_key(next((fields[name] for name in _NAMES if fields.get(name)), ""))
        truth = fields.get("is_contentious", "").casefold()
        with table.whole(row.place, row.fields):
            if not key:
                raise BrokenRecord("debate", "should name a debate; found nothing")
            if truth not in _TRUTHS:
                reason = f"should be true or false, or blank; found {truth[:40]!r}"
                raise BrokenRecord("is_contentious", reason)
            about = {
                "motion": fields.get("motion"),
                "info_slide": fields.get("info_slide"),
                "is_contentious": _TRUTHS[truth],
            }
            known = {name: value for name, value in about.items() if value not in (None, "")}
            if found.setdefault(key, known) != known:
                conflicting.add(key)
                raise BrokenRecord("motion", "this debate has other words in another row")
    for key in conflicting:
        del found[key]
    return Motions(table, found)
