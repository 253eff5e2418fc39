"""Keep the dashboard and the Dagster UI of one home up until Ctrl-C, and leave nothing behind."""

import os
import signal
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from orchestration.servers.claim import AlreadyServing, ServeFailed, announce, claimed
from orchestration.servers.processes import POLL_S, ServerProcess, stop
from orchestration.servers.restarts import Keeper, ending, report
from orchestration.servers.services import DAGSTER, DASHBOARD, Service, rostrum_services
from warehouse.home import Home
from warehouse.serving import READ_ONLY, Addresses

__all__ = ["AlreadyServing", "serve"]

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
    services: Callable[[int, int], Sequence[Service]] = rostrum_services,
) -> int:
    """Start the servers of a home and block until a signal.

    A server that ends before all have answered ends the others; later it is started again. INT,
    TERM and HUP (unless ignored, as under `nohup`) stop everything; a second one does so at once.
    To be called from the main thread, where Python delivers signals.

    Args:
        home: The home to serve, with Dagster's settings in place.
        dashboard_port: First port to try for the dashboard; a taken one moves on to the next.
        dagster_port: First port to try for the Dagster UI, likewise.
        say: Gets one message at a time for the user.
        on_ready: Called once both addresses answer.
        timeout_s: How long a server may take to answer, from each of its starts.
        read_only: Whether nobody may start, hand in or change anything from the dashboard.
        services: Makes the list of processes to run from the two ports.

    Returns:
        The exit code: 0 after a signal, 1 when the servers did not come up or none stayed up.

    Raises:
        AlreadyServing: When this home is being served; holds the addresses.
    """
    try:
        with claimed(home, say, timeout_s), _stop_signals() as signals:
            environment = {
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
    for process in processes:
        process.start()
    started = dict.fromkeys(processes, time.monotonic())
    while started and not signals:
        for process in list(started):
            if process.answers():
                del started[process]
            elif process.port_was_taken():
                _move_on(process, say)
                started[process] = time.monotonic()
            elif time.monotonic() > started[process] + timeout_s:
                raise ServeFailed(_failure(process, f"does not answer after {timeout_s:.0f} s"))
        _check_alive(processes, started)
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
