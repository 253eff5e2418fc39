"""The files of a folder of curation: JSON lines that a program wrote, whole or refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ingestion.batch import SourceFile
from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed, land
from warehouse.home import Home
from warehouse.records.core import first_problem

NAME = "curated"
LICENCE = "Not stated; that of the questions and documents it was made from"
AGAIN = "run 'rostrum curate' on the folder again, it goes on from what is whole"

Line = dict[str, Any]


@dataclass(frozen=True)
class File:
    """One file of the folder, read.

    Attributes:
        landed: The copy that was read.
        lines: Its lines.
    """

    landed: Landed
    lines: Sequence[Line]

    @property
    def source(self) -> SourceFile:
        """The file as a load names it."""
        return self.landed.source_file(len(self.lines))

    def of(self, kind: str) -> list[tuple[int, Line]]:
        """Return the lines of one kind, or the records of one class, with their numbers."""
        return [
            (number, line)
            for number, line in enumerate(self.lines, start=1)
            if kind in (line.get("kind"), line.get("record"))
        ]

    def broken(self, number: int, what: str) -> SourceUnreadable:
        """Return the error that says what is wrong with a line."""
        return SourceUnreadable(
            f"ingestion: {self.landed.shown}, line {number}: {what}; nothing was loaded: {AGAIN}"
        )

    @contextmanager
    def line(self, number: int) -> Iterator[None]:
        """Say with its place what is missing in a line that is read inside, or wrong with it."""
        try:
            yield
        except KeyError as error:
            raise self.broken(number, f"has no, or an unknown, {error}") from None
        except ValidationError as error:
            name, reason = first_problem(error)
            raise self.broken(number, f"field '{name}': {reason}") from None
        except (TypeError, AttributeError):
            raise self.broken(number, "is not of the form it should have") from None


def read_lines(home: Home, path: Path, *, may_be_empty: bool = False) -> File:
    """Return all lines of a file, a copy of which is landed.

    Args:
        home: The home.
        path: The file.
        may_be_empty: Whether it may have no line.

    Raises:
        SourceUnreadable: It is not there, or a line of it is no JSON object.
    """
    landed = land(home, path, source=NAME, licence=LICENCE, origin=str(path.resolve()))
    lines: list[Line] = []
    with landed.path.open("rb") as stream:
        for number, text in enumerate(stream, start=1):
            try:
                line = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise File(landed, ()).broken(number, f"is no JSON ({error})") from None
            if not isinstance(line, dict):
                raise File(landed, ()).broken(number, f"should be an object; found {line!r}")
            lines.append(line)
    if not lines and not may_be_empty:
        raise File(landed, ()).broken(1, "is missing, the file is empty")
    return File(landed, lines)


def short(value: Any) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
