"""Reading a journal block by block, a large one in two processes.

Nothing that a line becomes depends on another line, so blocks of lines can be read anywhere; what
does depend on others is put together in the order of the file.
"""

import fcntl
import os
import subprocess
import sys
from collections import defaultdict, deque
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from io import BytesIO
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

import pyarrow as pa

from inference.errors import JournalCorrupt
from inference.journal import MAX_LINE_BYTES, decoded_lines
from inference.kinds.parts import Row
from ingestion.answers.batches import batch_of, staged_schema
from ingestion.answers.journal_lines import (
    JournalContent,
    Made,
    OtherLine,
    read_line,
    usable_if_whole,
)
from ingestion.batch import Reject

# Of this many, the rows stay in the processor's cache until Arrow has them, and are gone before
# Python's garbage collector looks at them again.
BLOCK_BYTES = 1 << 18
# The second process takes 0.4 s to start, in which the first reads 15 MB (measured 2026-11-28).
TWO_PROCESSES_FROM = 32_000_000
# What the second process may be ahead by: as much as a pipe holds, so that it never waits while the
# first is busy.
_AHEAD_BYTES = 1 << 20
# What is held of lines behind a block that the second process has not answered.
_FAR_BYTES = 16 << 20
# Where Arrow finds NumPy it imports it, and pandas, for arrays that no rows here are: it takes half
# a second and 60 MB. It does without as well.
_SERVE = """
import sys
sys.modules["numpy"] = None
from ingestion.answers.journal_blocks import serve
serve()
"""


class _Block(NamedTuple):
    """Where whole lines of a journal lie, and the number of the first."""

    place: int
    size: int
    first: int


class BlockContent(NamedTuple):
    """What the lines of a block hold, each list in their order.

    Attributes:
        lines: How many there are.
        batches: Rows by table.
        failed: Rows that stand for requests which brought none, with their table.
        others: What has no rows.
        error: Why the lines from here on cannot be read; None where they can.
    """

    lines: int
    batches: dict[str, pa.RecordBatch]
    failed: list[tuple[str, Row]]
    others: list[Reject | OtherLine]
    error: str | None


def read_blocks(path: Path, label: str, content: JournalContent) -> Generator[BlockContent]:
    """Yield what a journal holds, and fill `content` on the way, as `read_journal_file` does.

    Args:
        content: What else the journal holds.
    """
    with usable_if_whole(content, label), path.open("rb") as file:
        is_large = os.fstat(file.fileno()).st_size >= TWO_PROCESSES_FROM
        read = _in_two if is_large else _in_one
        with closing(read(file, path, label)) as blocks:
            for block in blocks:
                content.lines += block.lines
                for found in block.others:
                    content.take(found, label)
                yield block
                if block.error is not None:
                    raise JournalCorrupt(block.error)


def _in_one(file: BinaryIO, path: Path, label: str) -> Generator[BlockContent]:
    for block, data in _blocks(file):
        yield _read(data, block.first, str(path), label)


def _in_two(file: BinaryIO, path: Path, label: str) -> Generator[BlockContent]:
    """Yield what blocks hold, each read by whichever process has time for it first.

    If the other process cannot be started, or ends, its blocks are read here as well.
    """
    try:
        other = _SecondProcess(file, path, label)
    except OSError:
        yield from _in_one(file, path, label)
        return
    with other as second:
        # In the order of the file; what the other process was given is still without its content.
        waiting: deque[tuple[_Block, BlockContent | None]] = deque()
        for block, data in _blocks(file):
            is_given = second.give(block)
            content = None if is_given else _read(data, block.first, str(path), label)
            waiting.append((block, content))
            while waiting:
                oldest, content = waiting[0]
                is_far = block.place - oldest.place > _FAR_BYTES
                if content is None and not is_far and not second.has_answered():
                    break
                yield content or second.content_of(oldest)
                waiting.popleft()
        for block, content in waiting:
            yield content or second.content_of(block)


def _blocks(file: BinaryIO) -> Iterator[tuple[_Block, bytes]]:
    """Yield the blocks of a journal with their lines; the last one may be torn."""
    place, first = 0, 1
    while data := file.read(BLOCK_BYTES) + file.readline(MAX_LINE_BYTES + 1):
        yield _Block(place, len(data), first), data
        place += len(data)
        first += data.count(b"\n")


def _read(data: bytes, first: int, name: str, label: str) -> BlockContent:
    rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    failed: list[tuple[str, Row]] = []
    others: list[Reject | OtherLine] = []
    lines, error = 0, None
    try:
        for _, line in decoded_lines(BytesIO(data), name, first):
            found = read_line(line, first + lines, label)
            lines += 1
            if not isinstance(found, Made):
                others.append(found)
                continue
            for row in found.rows:
                if row.failure is not None:
                    failed.append((found.table, row))
                    continue
                rows[found.table].append(row.row)
                for part, those in row.parts.items():
                    rows[part] += those
    except JournalCorrupt as corrupt:
        error = str(corrupt)
    batches = {table: batch_of(table, made) for table, made in rows.items() if made}
    return BlockContent(lines, batches, failed, others, error)


class _SecondProcess:
    """A process that reads blocks of a journal, and gives back what they hold in the same order.

    It ends with the `with` it is used in, and by itself where this process is killed.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, file: BinaryIO, path: Path, label: str) -> None:
        self._file, self._name, self._label = file, str(path), label
        # What it was given and has not answered.
        self._given: deque[_Block] = deque()
        self._is_ready = False
        its_blocks, self._blocks = Pipe(duplex=False)
        self._contents, its_contents = Pipe(duplex=False)
        passed = (file.fileno(), its_blocks.fileno(), its_contents.fileno())
        with its_blocks, its_contents:
            with suppress(AttributeError, OSError):
                fcntl.fcntl(its_contents.fileno(), fcntl.F_SETPIPE_SZ, _AHEAD_BYTES)
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                # It finds modules where this process does, and nowhere else.
                [sys.executable, "-P", "-c", _SERVE, *map(str, passed), self._name, label],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                pass_fds=passed,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl-C is for this process, which then ends the other.
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._blocks.close()
        self._contents.close()

    def give(self, block: _Block) -> bool:
        """Give it a block to read, if it has room for one; say whether it took it."""
        if self._process is None or sum(each.size for each in self._given) >= _AHEAD_BYTES:
            return False
        try:
            if not self._is_ready:
                if not self._contents.poll():
                    return False
                self._contents.recv()
                self._is_ready = True
            self._blocks.send(block)
        except (EOFError, OSError):
            self._end()
            return False
        self._given.append(block)
        return True

    def has_answered(self) -> bool:
        """Say whether there is something to take from it, or it is gone."""
        return self._process is None or self._contents.poll()

    def content_of(self, block: _Block) -> BlockContent:
        """Return what the next block that it was given holds; it is read here where it is gone."""
        if self._process is not None:
            try:
                content: BlockContent = self._contents.recv()
            except (EOFError, OSError):
                self._end()
            else:
                self._given.popleft()
                return content._replace(
                    batches={
                        table: pa.ipc.read_record_batch(rows, staged_schema(table))
                        for table, rows in content.batches.items()
                    }
                )
        data = os.pread(self._file.fileno(), block.size, block.place)
        return _read(data, block.first, self._name, self._label)

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def serve() -> None:
    """Be the second process, until the first closes its pipe."""
    *files, name, label = sys.argv[1:]
    file, blocks, contents = map(int, files)
    with (
        suppress(EOFError, OSError),
        Connection(blocks, writable=False) as given,
        Connection(contents, readable=False) as answers,
    ):
        answers.send(None)
        while True:
            block = given.recv()
            data = os.pread(file, block.size, block.place)
            content = _read(data, block.first, name, label)
            # A pickled batch takes seven times as long as one in Arrow's own form.
            sent = {table: batch.serialize() for table, batch in content.batches.items()}
            answers.send(content._replace(batches=sent))
