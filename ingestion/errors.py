"""What can go wrong while data come in. Every message says where, what, and what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.errors import NotEnoughSpace
from warehouse.files import is_disk_full


class IngestionError(Exception):
    """Base of every error this package raises on purpose."""


class SourceUnreadable(IngestionError):
    """A file or address cannot be read as what it should be; nothing of it was loaded."""


class TooManyRejected(IngestionError):
    """More of a file's records break the contract than allowed; nothing of it was loaded."""


class UnknownSource(IngestionError):
    """Nobody here knows how to read a source of this name."""


class BadStudy(IngestionError):
    """The description of a user's own study is wrong: a name, a scale or a column."""


class NoSpace(IngestionError):
    """The disk is full. What was loaded before is as it was."""


@contextmanager
def explained_when_full(doing: str, place: Path) -> Iterator[None]:
    """Turn a full disk into a `NoSpace` that says what was being done.

    Args:
        doing: What was being done, for example "copying speeches.csv".
        place: A path on the disk that is written.
    """
    # The help needs the errors and no database.
    import duckdb

    try:
        yield
    except NotEnoughSpace as error:
        # The warehouse may lie on another disk, which it names.
        raise NoSpace(str(error)) from error
    except (OSError, duckdb.Error) as error:
        if not is_disk_full(error):
            raise
        message = (
            f"ingestion: the disk of {place} is full while {doing}; free some space and run this "
            "again. What was loaded before is as it was"
        )
        raise NoSpace(message) from error
