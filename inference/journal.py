"""The journal: one append-only file of answers per run, which survives `kill -9` and a power cut.

A line is a JSON object with a `schema_version` and a `kind`: `run` (at the start and at each
resume), `answer`, `end`. A line counts once the disk has it: whoever appends waits for the fsync,
and everyone who waits at the same time shares one. A last line without its line break was never
acknowledged; it is cut off when the journal is next opened. A damaged line in the middle is
reported, never passed over.
"""

import asyncio
import fcntl
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

import orjson

from inference.errors import JournalCorrupt, JournalWriteFailed, RunBusy

SCHEMA_VERSION = 1
FILE_NAME = "responses.jsonl"
LOCK_NAME = "writer.lock"
# A reply has 16 MiB at most, and JSON three times that at most.
MAX_LINE_BYTES = 64 * 2**20


class Journal:
    """One run's journal, open for writing. Made by `Journal.open`; a context manager.

    Attributes:
        waiting: How many more requests than usual may wait for the disk.
    """

    waiting = 0

    def __init__(self, path: Path, file: int, lock: int) -> None:
        self.path = path
        self._file = file
        self._lock = lock
        self._size = os.fstat(file).st_size
        self._queue: list[tuple[bytes, asyncio.Future[None]]] = []
        self._drain: asyncio.Task[None] | None = None
        # Lines on their way to the disk. A thread writes them, which may begin late: what is
        # appended before it does takes them along, so that lines stay in order.
        self._under_way = b""
        self._writing = threading.Lock()
        self._failure: JournalWriteFailed | None = None

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a run's journal, making it where there is none, and cut off a torn last line.

        Raises:
            RunBusy: Another process has it open for writing. Names the process.
            JournalCorrupt: A later version of Rostrum wrote it.
            JournalWriteFailed: The disk is full, or the folder may not be written.
        """
        try:
            return cls._open(folder)
        except OSError as error:
            raise _write_failed(folder / FILE_NAME, error) from error

    @classmethod
    def _open(cls, folder: Path) -> Self:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _lock(folder)
        try:
            path = folder / FILE_NAME
            is_new = not path.exists()
            file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                _cut_torn_line(file)
                read_header(path)  # refuses what a later version wrote
                os.fsync(file)
                if is_new:
                    _fsync_folder(folder)
                    _fsync_folder(folder.parent)
                return cls(path, file, lock)
            except BaseException:
                os.close(file)
                raise
        except BaseException:
            os.close(lock)
            raise

    async def append(self, record: Mapping[str, Any]) -> None:
        """Append one line; returns once the disk has it.

        Raises:
            JournalWriteFailed: The disk did not take it.
        """
        acknowledged: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((_encoded(record), acknowledged))
        if self._drain is None or self._drain.done():
            self._drain = asyncio.create_task(self._write_queue())
        await acknowledged

    def append_now(self, *records: Mapping[str, Any]) -> None:
        """Append lines behind all that wait, without an event loop; the disk has them on return.

        Raises:
            JournalWriteFailed: The disk did not take them.
        """
        waiting, self._queue = self._queue, []
        self._write(b"".join([*(line for line, _ in waiting), *map(_encoded, records)]))
        for _, acknowledged in waiting:
            if not acknowledged.done():
                acknowledged.set_result(None)

    def close(self) -> None:
        """Let go of the journal. Lines nobody was told of are not waited for."""
        with self._writing:
            self._failure = self._failure or _closed(self.path)
            os.close(self._file)
            os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _write_queue(self) -> None:
        # While one batch is on its way to the disk the next one gathers.
        while self._queue:
            await self._gather()
            batch, self._queue = self._queue, []
            failure: JournalWriteFailed | None = None
            with self._writing:
                self._under_way += b"".join(line for line, _ in batch)
            try:
                await asyncio.to_thread(self._write)
            except JournalWriteFailed as error:
                failure = error
            for _, acknowledged in batch:
                if acknowledged.done():
                    continue
                if failure is None:
                    acknowledged.set_result(None)
                else:
                    acknowledged.set_exception(failure)

    async def _gather(self) -> None:
        """Wait for more lines, where one at a time would cost too much."""

    def _write(self, more: bytes = b"") -> None:
        """Write what is under way, and more behind it."""
        with self._writing:
            if data := self._under_way + more:
                self._commit(data)
                self._under_way = b""

    def _commit(self, data: bytes) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            _write(self._file, data)
            os.fsync(self._file)
        except OSError as error:
            # After a failed fsync the kernel may have dropped the pages: never try again.
            self._failure = _write_failed(self.path, error)
            _cut_to(self._file, self._size)
            raise self._failure from error
        self._size += len(data)


def read_journal(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a journal's lines in order.

    A torn last line is left out: it was never acknowledged, or is just being written. A damaged
    line is yielded as `{"kind": "corrupt", "line": n, "text": ...}`, counted from 1.
    """
    for _, record in read_places(path):
        yield record


def read_places(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield a journal's lines as `read_journal` does, each with the byte it begins at."""
    with path.open("rb") as file:
        yield from decoded_lines(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), path)


def decoded_lines(lines: Iterable[bytes], name: object) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield lines as `read_places` does."""
    place = 0
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_LINE_BYTES:
            raise JournalCorrupt(
                f"journal: {name}, line {number} has more than {MAX_LINE_BYTES // 2**20} MiB, "
                "which no answer has; remove that line, or move the journal away"
            )
        if not line.endswith(b"\n"):
            return
        record = _decoded(line)
        if record is None:
            text = line.decode("utf-8", "replace").rstrip("\n")
            yield place, {"kind": "corrupt", "line": number, "text": text}
        elif record["schema_version"] > SCHEMA_VERSION:
            raise JournalCorrupt(
                f"journal: {name}, line {number} has schema version "
                f"{record['schema_version']}, this Rostrum knows {SCHEMA_VERSION}; use the "
                "newer Rostrum"
            )
        else:
            yield place, record
        place += len(line)


def read_at(file: BinaryIO, place: int) -> dict[str, Any]:
    """Return the line that begins at a byte which `read_places` gave."""
    file.seek(place)
    record: dict[str, Any] = json.loads(file.readline())
    return record


def read_header(path: Path) -> dict[str, Any] | None:
    """Return a journal's first `run` line, or None where it has none yet."""
    return next((line for line in read_journal(path) if line["kind"] == "run"), None)


def _write_failed(path: Path, error: OSError) -> JournalWriteFailed:
    return JournalWriteFailed(
        f"journal: cannot write {path}: {error.strerror}; make room on the disk, "
        "then run the same command again, it goes on from the last answer on disk"
    )


def _encoded(record: Mapping[str, Any]) -> bytes:
    line = {"schema_version": SCHEMA_VERSION, **record}
    return json.dumps(line, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        record = orjson.loads(line)
    except ValueError:
        # Halves of surrogate pairs, NaN and infinity, which lines made by hand may have.
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return None
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        return None
    version = record.get("schema_version")
    return record if isinstance(version, int) and not isinstance(version, bool) else None


def _closed(path: Path) -> JournalWriteFailed:
    return JournalWriteFailed(f"journal: {path} was closed before its last lines were written")


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _cut_to(file: int, size: int) -> None:
    try:
        os.ftruncate(file, size)
    except OSError:
        # What is left is a torn last line, which the next opening cuts off.
        return


def _cut_torn_line(file: int) -> None:
    end = whole_bytes(file)
    if end < os.fstat(file).st_size:
        os.ftruncate(file, end)


def whole_bytes(file: int) -> int:
    """Return where the last whole line of a journal ends."""
    end = os.fstat(file).st_size
    block = 1 << 16
    while end > 0:
        start = max(0, end - block)
        position = os.pread(file, end - start, start).rfind(b"\n")
        if position >= 0:
            return start + position + 1
        end = start
    return 0


def _fsync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _lock(folder: Path) -> int:
    # Beside the journal, not on it, so that its text can name the holder.
    handle = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(handle)
        raise RunBusy(
            f"journal: run '{folder.name}' is being written by process {holder}; wait for it to "
            "end, or stop it, then run the same command again"
        ) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, str(os.getpid()).encode(), 0)
    return handle
