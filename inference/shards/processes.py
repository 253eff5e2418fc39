"""Workers that are processes on this machine, each at one end of a pair of sockets.

The other end of the pair ends when either process does, so that neither outlives the other unseen.
"""

import asyncio
import itertools
import multiprocessing
import os
import pickle
import socket
from collections.abc import Mapping
from multiprocessing.process import BaseProcess
from typing import Any, Self

from inference.errors import LeaseLost, WorkersUnavailable
from inference.runs.stopping import StopSignals
from inference.shards.worker import Holder, Work, work_on

_HEAD = 4
_ENDED = "ended"
_LOOK_S = 0.05
# The engine, and what it would import in each worker at its first items and its first request.
_PRELOADED = (
    __name__,
    "inference.runner",
    "inference.judges.openai_chat",
    "openai",
    "anyio.streams.tls",
    "h11",
    "httpcore2",
    "pyarrow.parquet",
    "truststore",
)


class Processes:
    """Runs each shard in a process of its own.

    Args:
        holder: Gives out permits and money; here, in the process that starts the others.
    """

    may_queue = False

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        # Forks of one process that has imported the engine, and holds nothing of this one.
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([*_PRELOADED])
        self._workers: dict[str, tuple[BaseProcess, asyncio.StreamWriter]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for process, writer in self._workers.values():
            writer.close()
            process.kill()
            await _ended(process)

    async def call(self, name: str, *given: Any) -> Any:
        """Ask the holder."""
        return await self._holder.call(name, *given)

    async def run(self, work: Work) -> None:
        """Run a worker to its end."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = self._context.Process(
                target=_work, args=(theirs, work, dict(os.environ)), daemon=True
            )
            await asyncio.to_thread(process.start)
        reader, writer = await asyncio.open_connection(sock=ours)
        self._workers[work.worker] = process, writer
        outcome = await self._serve(work.worker, reader, writer)
        writer.close()
        await _ended(process)
        if outcome is None:
            raise WorkersUnavailable(
                f"shards: the process of shard {work.shard} ended with code {process.exitcode}"
            )
        (error,) = outcome
        if error is not None:
            raise error

    def abandon(self, who: str) -> None:
        """Let go of a worker that is taken for dead; if it is not, it ends by itself."""
        if who in self._workers:
            self._workers[who][1].close()

    def stop(self, who: str) -> None:
        """Ask a worker to end in good order."""
        if who in self._workers:
            self._workers[who][0].terminate()

    async def _serve(
        self, who: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[Exception | None] | None:
        outcome = None
        answers: set[asyncio.Task[None]] = set()
        while (frame := await _read(reader)) is not None:
            number, name, given = frame
            if name == _ENDED:
                outcome = given
            elif number is None:
                getattr(self._holder, name)(who, *given)
            else:
                answer = asyncio.create_task(self._answer(writer, number, name, (who, *given)))
                answers.add(answer)
                answer.add_done_callback(answers.discard)
        for answer in answers:
            answer.cancel()
        return outcome

    async def _answer(
        self, writer: asyncio.StreamWriter, number: int, name: str, given: tuple[Any, ...]
    ) -> None:
        try:
            found = await self.call(name, *given)
        except LeaseLost as error:
            found = error
        if not writer.is_closing():
            writer.write(_frame(number, found))


async def _ended(process: BaseProcess) -> None:
    """Wait for a process, which may be stopped, without a thread that waits with it."""
    while process.is_alive():
        await asyncio.sleep(_LOOK_S)


def _frame(*content: Any) -> bytes:
    data = pickle.dumps(content)
    return len(data).to_bytes(_HEAD, "big") + data


async def _read(reader: asyncio.StreamReader) -> tuple[Any, ...] | None:
    try:
        size = int.from_bytes(await reader.readexactly(_HEAD), "big")
        # The process at the other end is this program's own.
        found: tuple[Any, ...] = pickle.loads(await reader.readexactly(size))  # noqa: S301
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return found


class _Pipe:
    """A worker's way to the holder."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[Any]] = {}

    async def call(self, name: str, *given: Any) -> Any:
        """Ask the holder, and wait."""
        number = next(self._numbers)
        self._asked[number] = asyncio.get_running_loop().create_future()
        self._writer.write(_frame(number, name, given))
        try:
            found = await self._asked[number]
        finally:
            del self._asked[number]
        if isinstance(found, Exception):
            raise found
        return found

    def send(self, name: str, *given: Any) -> None:
        """Tell the holder."""
        if not self._writer.is_closing():
            self._writer.write(_frame(None, name, given))

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Hand on what the holder says until it is gone."""
        while (frame := await _read(reader)) is not None:
            number, found = frame
            if number in self._asked and not self._asked[number].done():
                self._asked[number].set_result(found)


def _work(end: socket.socket, work: Work, environ: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environ)
    with StopSignals() as stop:
        asyncio.run(_run(end, work, stop))


async def _run(end: socket.socket, work: Work, stop: StopSignals) -> None:
    reader, writer = await asyncio.open_connection(sock=end)
    pipe = _Pipe(writer)
    listening = asyncio.create_task(pipe.listen(reader))
    # Without the process that started it a worker has no permits, and its answers no count.
    listening.add_done_callback(lambda _: stop.request())
    error: Exception | None = None
    try:
        await work_on(work, pipe, stop)
    except Exception as raised:
        error = raised
    listening.cancel()
    writer.write(_frame(None, _ENDED, (error,)))
    try:
        await writer.drain()
    except ConnectionError:
        return
