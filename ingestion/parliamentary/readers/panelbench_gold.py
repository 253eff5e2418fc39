"""The results of PanelBench's debates. Nothing says what their columns are, so they are looked for.

Taken are a column that names the debate, and one of: a rank of each house (`og_rank` ...), points
or a score of each (`og_score` ..., more is better), the houses in order (`first` ... `fourth`), or
the winner (`winner`, or a 0 or 1 for each house). Anything else is refused with the columns found:
four bare numbers could as well be ranks as scores.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.readers.tabs.rooms import TAB_HOUSES, HouseLine
from ingestion.parliamentary.readers.tabs.transcripts import title_key
from warehouse.records.core import House

_IDS = ("id", "debate", "debate id", "debate name", "motion id", "name", "index", "")
_PLACES = ("first", "second", "third", "fourth")
_WINNER = ("winner", "winners", "gold", "verdict")
_RANKS, _SCORES = ("rank", "ranking", "place", "position"), ("score", "scores", "points")
_HOUSES: Mapping[str, House] = {
    "og": "og",
    "oo": "oo",
    "cg": "cg",
    "co": "co",
    "opening government": "og",
    "opening opposition": "oo",
    "closing government": "cg",
    "closing opposition": "co",
}
_SPLIT = re.compile(r"[,;/|&+]| and ")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_NO_RESULT = "the file of results has no row for it"
_Lines = Mapping[House, HouseLine]


def house_named(name: str) -> House | None:
    """Return the house of a name such as `og` or `Opening Government`; None for any other."""
    return _HOUSES.get(title_key(name))


@dataclass(frozen=True)
class Gold:
    """Results by debate; for a debate with several rows that differ, none."""

    rows: Mapping[str, Sequence[_Lines]] = field(default_factory=dict)

    def of(self, identity: str) -> tuple[_Lines | None, str | None]:
        """Return what a debate's houses were given, or why that is not known."""
        own = self.rows.get(identity, [])
        if not own:
            return None, _NO_RESULT
        if any(each != own[0] for each in own):
            return None, f"{len(own)} rows of results are of this debate, and differ"
        return own[0], None

    def beyond(self, identities: Iterable[str]) -> list[str]:
        """Return the debates that have a result and are none of these."""
        return sorted(set(self.rows) - set(identities))


def read_gold(content: bytes, shown: str) -> Gold:
    """Read the file of results.

    Raises:
        SourceUnreadable: It is no CSV, or its columns are none that are known.
    """
    try:
        table = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceUnreadable(f"ingestion: {shown} is no CSV file ({error})") from error
    header = [title_key(name) for name in table[0]] if table else []
    body = [row for row in table[1:] if any(cell.strip() for cell in row)]
    identity = next((header.index(name) for name in _IDS if name in header), None)
    reader = _reader(header, body)
    if identity is None or reader is None:
        found = ", ".join(table[0]) if table else "none"
        raise SourceUnreadable(
            f"ingestion: {shown} has the columns {found[:300]}; expected one that names the debate "
            "(id), and og_rank, oo_rank, cg_rank, co_rank (or _score), or first to fourth, or "
            "winner; rename those that are meant in a copy and name its folder with --from"
        )
    rows: dict[str, list[_Lines]] = {}
    for row in body:
        cells = [*row, *[""] * (len(header) - len(row))]
        rows.setdefault(_identity(cells[identity]), []).append(reader(cells))
    return Gold(rows)


def _identity(cell: str) -> str:
    name = cell.strip().casefold().removesuffix(".yml")
    return name if name.startswith("bp_") else f"bp_{name}"


def _reader(header: Sequence[str], body: Sequence[Sequence[str]]) -> _Reader | None:
    for words, is_rank in ((_RANKS, True), (_SCORES, False)):
        places = _columns(header, words)
        if places:
            return _Reader(places, "rank" if is_rank else "score")
    if all(name in header for name in _PLACES):
        return _Reader({name: header.index(name) for name in _PLACES}, "order")
    flags = _columns(header, ("", "win", "winner", "won"))
    if flags and {row[at] for row in body for at in flags.values() if at < len(row)} <= {"0", "1"}:
        return _Reader(flags, "flag")
    winner = next((header.index(name) for name in _WINNER if name in header), None)
    return _Reader({"winner": winner}, "winner") if winner is not None else None


def _columns(header: Sequence[str], words: Sequence[str]) -> dict[str, int]:
    """Return the columns of the four houses that go by these words; empty unless all are there."""
    found: dict[str, int] = {}
    for at, name in enumerate(header):
        for house_name, house in _HOUSES.items():
            if name in {f"{house_name} {word}".strip() for word in words} | {
                f"{word} {house_name}".strip() for word in words
            }:
                found.setdefault(house, at)
    return found if len(found) == len(TAB_HOUSES) else {}


@dataclass(frozen=True)
class _Reader:
    """Reads a row's result out of the columns it stands in, in one of the forms."""

    columns: Mapping[str, int]
    form: str

    def __call__(self, cells: Sequence[str]) -> _Lines:
        said = {name: cells[at].strip() for name, at in self.columns.items()}
        if self.form == "order":
            order = {house_named(said[name]): place for place, name in enumerate(_PLACES, start=1)}
            return {house: HouseLine(rank=order.get(house, "")) for house in TAB_HOUSES}
        if self.form == "winner":
            won = {house_named(name) for name in _SPLIT.split(said["winner"])}
            if won == {None}:
                return {house: HouseLine(rank=said["winner"]) for house in TAB_HOUSES}
            return {house: HouseLine(is_winner=house in won) for house in TAB_HOUSES}
        if self.form == "flag":
            return {house: HouseLine(is_winner=said[house] == "1") for house in TAB_HOUSES}
        values = {house: _value(said[house]) for house in TAB_HOUSES}
        if self.form == "rank":
            return {house: HouseLine(rank=values[house]) for house in TAB_HOUSES}
        return {house: HouseLine(rank=rank) for house, rank in _by_score(values).items()}


def _value(text: str) -> float | str:
    return float(text) if _NUMBER.fullmatch(text) else text


def _by_score(values: Mapping[House, float | str]) -> dict[House, int | str]:
    """Rank houses by scores, more is better; what is no number, or equal, ranks nobody."""
    numbers = {house: value for house, value in values.items() if isinstance(value, float)}
    if len(set(numbers.values())) != len(TAB_HOUSES):
        return {house: f"score {value}" for house, value in values.items()}
    order = sorted(numbers, key=lambda house: -numbers[house])
    return {house: place for place, house in enumerate(order, start=1)}
