"""Messages and exit codes of failed commands: the named error, however it was wrapped."""

import errno
import shutil
from pathlib import Path

from inference.errors import (
    BadSettings,
    InferenceError,
    RunInterrupted,
    UnknownExperiment,
    UnknownJudge,
    UnknownTournament,
)
from ingestion.errors import BadStudy, IngestionError, UnknownSource
from orchestration.errors import (
    BadOptions,
    BuildStopped,
    NoHome,
    NoPilot,
    OrchestrationError,
    PublicAddress,
    UnknownDecision,
    UnknownRequest,
)
from warehouse.errors import UnknownMart, WarehouseError
from warehouse.files import is_disk_full

NAMED = (InferenceError, IngestionError, OrchestrationError, WarehouseError)
# What the command was given cannot be used: another call is needed, not another try.
WRONG_USAGE = (
    BadOptions,
    BadSettings,
    BadStudy,
    NoHome,
    NoPilot,
    PublicAddress,
    UnknownDecision,
    UnknownExperiment,
    UnknownJudge,
    UnknownMart,
    UnknownRequest,
    UnknownSource,
    UnknownTournament,
)
DONE, FAILED, MISUSED, STOPPED = 0, 1, 2, 130
# Below this SQLite cannot make its shared memory file, and calls that a disk I/O error.
_FULL_BELOW_BYTES = 256 * 1024
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}
# SQLite and DuckDB pass on what the system says, in words of their own.
_REFUSED_WORDS = (
    "permission denied",
    "read-only file system",
    "readonly database",
    "unable to open database file",
)


def explanation(error: BaseException, home: Path | None) -> str | None:
    """Return the message for the user, or None for an error that was not foreseen."""
    links = _chain(error)
    for link in links:
        if isinstance(link, NAMED):
            return str(link)
    if home is not None and any(_means_full(link, home) for link in links):
        return (
            f"rostrum: the disk of {home} is full; free some space and run this again. "
            "What was loaded and published before is as it was"
        )
    if home is not None:
        return next(filter(None, (_refusal(link, home) for link in links)), None)
    return None


def exit_code(error: BaseException) -> int:
    """Return 2 where the command was used wrongly, else 1."""
    return MISUSED if any(isinstance(link, WRONG_USAGE) for link in _chain(error)) else FAILED


def was_stopped(error: BaseException) -> bool:
    """Whether a signal ended the command; Dagster has an exception of its own for that."""
    # Known by its name: commands that do without Dagster must not import it to fail.
    return any(
        isinstance(link, KeyboardInterrupt | RunInterrupted)
        or "ExecutionInterrupted" in type(link).__name__
        for link in _chain(error)
    )


def stopped(error: BaseException) -> str:
    """Return the message for the user of a command that a signal ended."""
    for link in _chain(error):
        if isinstance(link, BuildStopped | RunInterrupted):
            return str(link)
    return "stopped; what was finished is kept, and the same command goes on from there"


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found


def _means_full(error: BaseException, home: Path) -> bool:
    if is_disk_full(error):
        return True
    is_vague = "disk i/o error" in str(error).lower() and home.is_dir()
    return is_vague and shutil.disk_usage(home).free < _FULL_BELOW_BYTES


def _refusal(error: BaseException, home: Path) -> str | None:
    """Return the message of an error that means that a file may not be opened or written."""
    if isinstance(error, OSError):
        # The kernel's own folders, such as /proc, take no others and call that a missing file.
        refused = error.errno in _REFUSED or (error.errno == errno.ENOENT and not home.exists())
        if not refused or error.filename is None:
            return None
        place, why = Path(str(error.filename)), error.strerror
        if home not in (place, *place.parents):
            return f"rostrum: {place} cannot be opened ({why}); check its permissions"
    else:
        words = str(error).lower()
        why = next((sign for sign in _REFUSED_WORDS if sign in words), None)
        if why is None:
            return None
        place = home
    return (
        f"rostrum: {place} cannot be read and written ({why}); give this user the right to, or "
        "choose another home with --home"
    )
