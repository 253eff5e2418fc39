"""Keep the dashboard and the Dagster UI of one home up until Ctrl-C, and leave nothing behind.

`python -m orchestration.servers.serve OPTIONS`, with the arguments of `main` as JSON, is what
`rostrum serve` becomes once the home is prepared. It imports next to nothing, so that it takes 21
MB of memory for as long as the servers are up, not 140 (2026-11-29).
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from orchestration.servers.claim import AlreadyServing, ServeFailed, announce, claimed
from orchestration.servers.processes import POLL_S, ServerProcess, stop
from orchestration.servers.restarts import Keeper, ending, report
from orchestration.servers.services import (
    DAGSTER,
    DASHBOARD,
    GRPC_TIMEOUT_S,
    Service,
    rostrum_services,
    write_workspace,
)
from warehouse.home import Home
from warehouse.serving import READ_ONLY, Addresses

_NEXT = (
    'sql "from rpt_rank_agreement"',
    "ingest speeches --from hf://datasets/noystl/speech-quality-dataset",
    "run speech-score --judge openai/gpt-4.1-mini --limit 50",
)
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# A closing terminal and `make` may each pass on the same signal.
SAME_SIGNAL_S = 1.0


def serve(
    home: Home,
    *,
    dashboard_port: int = 8501,
    dagster_port: int = 3000,
    say: Callable[[str], None],
    on_ready: Callable[[Addresses], None],
    timeout_s: float = 120,
    read_only: bool = False,
    services: Callable[[int, int], Sequence[Service]],
) -> int:
    """Start the servers of a home and block until a signal.

    A server that ends before all have answered ends the others; later it is started again. INT,
    TERM and HUP (unless ignored, as under `nohup`) stop everything; a second one does so at once.
    To be called from the main thread, where Python delivers signals.
    """
    try:
        with claimed(home, say, timeout_s), _stop_signals() as signals:
            environment = {
                "DAGSTER_GRPC_TIMEOUT_SECONDS": GRPC_TIMEOUT_S,
                **os.environ,
                "DAGSTER_HOME": str(home.dagster),
                "ROSTRUM_HOME": str(home.root),
                "PYTHONUNBUFFERED": "1",
                READ_ONLY: "1" if read_only else "",
            }
            processes = [
                ServerProcess(service, home.logs / f"{service.name}.log", environment)
                for service in services(dashboard_port, dagster_port)
            ]
            try:
                _run(home, processes, signals, say, on_ready, timeout_s)
            finally:
                # First, so that nobody is sent to addresses that are about to go.
                home.serve_file.unlink(missing_ok=True)
                stop(processes, hurried=lambda: len(signals) > 1)
    except ServeFailed as failure:
        say(str(failure))
        return 1
    return 0


def _run(
    home: Home,
    processes: Sequence[ServerProcess],
    signals: Sequence[float],
    say: Callable[[str], None],
    on_ready: Callable[[Addresses], None],
    timeout_s: float,
) -> None:
    """Start the processes, wait until they answer, then watch them until a signal."""
    waiting = list(processes)
    started: dict[ServerProcess, float] = {}
    while (waiting or started) and not signals:
        missing = {each.service.name for each in (*waiting, *started)}
        for process in [each for each in waiting if each.service.after not in missing]:
            process.start()
            waiting.remove(process)
            started[process] = time.monotonic()
        for process in list(started):
            if process.answers():
                del started[process]
            elif process.port_was_taken():
                _move_on(process, say)
                started[process] = time.monotonic()
            elif time.monotonic() > started[process] + timeout_s:
                raise ServeFailed(_failure(process, f"does not answer after {timeout_s:.0f} s"))
        _check_alive([each for each in processes if each not in waiting], started)
        time.sleep(POLL_S)
    if signals:
        return
    at = {process.service.name: process.address for process in processes}
    addresses = Addresses(dashboard=at[DASHBOARD], dagster=at[DAGSTER])
    announce(home, addresses)
    on_ready(addresses)
    keepers = [Keeper(process, say, timeout_s) for process in processes]
    while not signals:
        for keeper in keepers:
            keeper.look()
        if all(keeper.is_given_up for keeper in keepers):
            raise ServeFailed(f"serve: none of the servers stays up; see their logs in {home.logs}")
        time.sleep(POLL_S)


def _move_on(process: ServerProcess, say: Callable[[str], None]) -> None:
    """Try the next port, and say so."""
    taken = process.port
    if not process.move_on():
        raise ServeFailed(
            _failure(process, f"found ports {process.service.port} to {taken} taken; name another")
        )
    say(f"Port {taken} is taken: {process.service.name} tries {process.port}.")


def _check_alive(processes: Sequence[ServerProcess], starting: Collection[ServerProcess]) -> None:
    """Raise when a process has ended by itself, other than on a failed bind at its start."""
    for process in processes:
        if process.exit_code is None or (process in starting and process.port_was_taken()):
            continue
        raise ServeFailed(_failure(process, ending(process)))


def _failure(process: ServerProcess, problem: str) -> str:
    return report(process, f"{problem}; stopping the others")


@contextmanager
def _stop_signals() -> Iterator[list[float]]:
    """Collect in the list when INT, TERM and HUP came, instead of dying of them."""
    received: list[float] = []

    def note(_number: int, _frame: FrameType | None) -> None:
        if not received or time.monotonic() > received[-1] + SAME_SIGNAL_S:
            received.append(time.monotonic())

    caught = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        caught.append(signal.SIGHUP)
    before = {number: signal.signal(number, note) for number in caught}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def become_server(home: Home, **options: Any) -> NoReturn:
    """Replace this process by one that serves a prepared home."""
    options |= {"home": str(home.root), "program": _program()}
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
    words = (sys.executable, "-P", "-m", "orchestration.servers.serve", json.dumps(options))
    os.execv(sys.executable, words)  # noqa: S606


def main(
    home: str,
    program: str,
    *,
    dashboard_port: int,
    dagster_port: int,
    hosts: Sequence[str],
    read_only: bool,
    address: str,
    keys: Sequence[str],
) -> int:
    """Serve a prepared home until a signal; return the exit code."""
    say = partial(print, flush=True)
    # A socket's path may be no longer than 107 bytes, and the folder of a home may.
    with tempfile.TemporaryDirectory(prefix="rostrum-") as folder:
        workspace, socket = Path(folder, "workspace.yaml"), Path(folder, "code.sock")
        write_workspace(workspace, socket=str(socket))
        services = partial(
            rostrum_services,
            workspace=workspace,
            code=("-s", str(socket)),
            hosts=hosts,
            read_only=read_only,
            address=address,
            keys=keys,
        )
        try:
            # One that came while this process was started is still waiting.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
            return serve(
                Home(Path(home)),
                dashboard_port=dashboard_port,
                dagster_port=dagster_port,
                say=say,
                on_ready=lambda addresses: show_addresses(addresses, say, program),
                read_only=read_only,
                services=services,
            )
        except AlreadyServing as already:
            show_addresses(already.addresses, say, program)
            return 0
        except KeyboardInterrupt:
            say("stopped; nothing was started", file=sys.stderr)
            return 130
        except OSError as error:
            say(f"error: serve: {error}", file=sys.stderr)
            return 1


def show_addresses(
    addresses: Addresses, say: Callable[[str], None], program: str | None = None
) -> None:
    """Show where a home is served, and what to do next."""
    say(f"dashboard   {addresses.dashboard}")
    say(f"Dagster UI  {addresses.dagster}")
    show_next(say, program)


def show_next(say: Callable[[str], None], program: str | None = None) -> None:
    """Name three commands to go on with."""
    say("\nnext:")
    for arguments in _NEXT:
        say(f"  {program or _program()} {arguments}")


def _program() -> str:
    """Return the command line as it can be typed here, whether or not the environment is active."""
    return "rostrum" if shutil.which("rostrum") else os.path.relpath(sys.argv[0])


if __name__ == "__main__":
    sys.exit(main(**json.loads(sys.argv[1])))
