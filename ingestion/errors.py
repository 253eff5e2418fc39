"""Errors of ingestion. Every message has the place, the fault and the next step."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.errors import NotEnoughSpace
from warehouse.files import is_disk_full


class IngestionError(Exception):
    """Base of every error this package raises on purpose."""


class SourceUnreadable(IngestionError):
    """A file or address cannot be read; nothing of it was loaded."""


class TooManyRejected(IngestionError):
    """More of a file's records break the contract than allowed; nothing of it was loaded."""


class UnknownSource(IngestionError):
    """There is no source of this name, or no such setting."""


class BadStudy(IngestionError):
    """The description of a user's own study is wrong: a name, a scale or a column."""


class NoSpace(IngestionError):
    """The disk is full. What was loaded before is as it was."""


@contextmanager
def explained_when_full(doing: str, place: Path) -> Iterator[None]:
    """Turn a full disk into a `NoSpace`.

    Args:
        doing: The action, for example "copying speeches.csv".
        place: A path on the disk that is written.
    """
    # Help imports the errors and needs no database.
    import duckdb

    try:
        yield
    except NotEnoughSpace as error:
        # The warehouse may lie on another disk, which it names.
        raise NoSpace(str(error)) from error
    except (OSError, duckdb.Error) as error:
        if not is_disk_full(error):
            raise
        raise NoSpace(
            f"ingestion: the disk of {place} is full while {doing}; free some space and run this "
            "again. What was loaded before is as it was"
        ) from error
