"""A user's file of motions: what tabs know and workbooks of results do not.

CSV with a header: `debate` (its id or title; or `title`), and `motion`, `info_slide`,
`is_contentious`, each of which may be missing or blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingestion.batch import Reject, SourceFile, original_of
from ingestion.errors import SourceUnreadable
from ingestion.landing import land
from ingestion.parliamentary.readers.bp_transcripts import title_key
from ingestion.records import Record, read_rows
from warehouse.home import Home
from warehouse.records.core import Dataset
from warehouse.records.parliamentary import AboutDebate

_NAMES = ("debate", "title")
_COLUMNS = ("motion", "info_slide", "is_contentious")
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None}


@dataclass(frozen=True)
class MotionRow:
    """What a file says about one debate; None where it is silent."""

    motion: str | None
    info_slide: str | None
    is_contentious: bool | None


@dataclass
class Motions:
    """The motions of a file, found by a debate's title or id in any spelling.

    Attributes:
        file: The file; None without one.
        rejects: Rows that cannot be used.
    """

    file: SourceFile | None = None
    rejects: list[Reject] = field(default_factory=list)
    _rows: dict[str, MotionRow] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def onto(self, debate: AboutDebate, *titles: str) -> AboutDebate:
        """Return a debate with what the file says of it; where it is silent it stays as it is.

        Args:
            debate: The debate.
            titles: What it is called besides its id.
        """
        local = debate.debate_id.partition(":")[2]
        keys = [title_key(name) for name in (debate.debate_id, local, *titles)]
        row = next((self._rows[key] for key in keys if key in self._rows), None)
        if row is None:
            return debate
        self._used.update(keys)
        said = {name: getattr(row, name) for name in _COLUMNS}
        return replace(debate, **{name: each for name, each in said.items() if each is not None})

    @property
    def notes(self) -> list[str]:
        """How many rows were used, and which name no debate."""
        if self.file is None:
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
    """Read a file of motions.

    A debate named twice with different words is rejected: nobody can say which are right.

    Args:
        home: The home whose landing the file is copied to.
        location: The file; None when the user has none.
        dataset: Whose debates they are.

    Raises:
        SourceUnreadable: It is no CSV file with a column of debates and one of motions.
    """
    if location is None:
        return Motions()
    path = Path(location).expanduser()
    landed = land(
        home, path, source=dataset.dataset_id, licence="unknown", origin=str(path.resolve())
    )
    motions = Motions()
    conflicting: set[str] = set()
    count = 0
    for row in _rows(landed.path, landed.shown):
        count += 1
        if isinstance(row, Reject):
            motions.rejects.append(row)
            continue
        key, found = _read(row, landed.shown)
        if isinstance(found, Reject):
            motions.rejects.append(found)
        elif motions._rows.setdefault(key, found) != found:
            conflicting.add(key)
            motions.rejects.append(
                _reject(landed.shown, row, "motion", "this debate has other words in another row")
            )
    for key in conflicting:
        del motions._rows[key]
    motions.file = landed.source_file(count)
    return motions


def _rows(path: Path, shown: str) -> Iterator[Record | Reject]:
    is_checked = False
    for row in read_rows(path, "csv", shown=shown):
        if isinstance(row, Record) and not is_checked:
            is_checked = True
            has_name = any(name in row.fields for name in _NAMES)
            if not has_name or not any(name in row.fields for name in _COLUMNS):
                raise SourceUnreadable(
                    f"ingestion: {shown} has the columns {', '.join(map(str, row.fields))}; "
                    f"expected {' or '.join(_NAMES)}, and some of {', '.join(_COLUMNS)}"
                )
        yield row


def _read(row: Record, shown: str) -> tuple[str, MotionRow | Reject]:
    fields = {name: str(value or "").strip() for name, value in row.fields.items()}
    key = title_key(next((fields[name] for name in _NAMES if fields.get(name)), ""))
    if not key:
        return key, _reject(shown, row, "debate", "should name a debate; found nothing")
    said = fields.get("is_contentious", "").casefold()
    if said not in _TRUTHS:
        reason = f"should be true or false, or blank; found {said[:40]!r}"
        return key, _reject(shown, row, "is_contentious", reason)
    motion, info_slide = (fields.get(name) or None for name in ("motion", "info_slide"))
    return key, MotionRow(motion, info_slide, _TRUTHS[said])


def _reject(shown: str, row: Record, name: str, reason: str) -> Reject:
    return Reject(shown, row.place, name, reason, original_of(row.fields))
