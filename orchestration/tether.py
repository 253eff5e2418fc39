"""Run a module as `python -m` would, in a process that does not outlive its parent.

`python -m orchestration.tether pipe=FD MODULE [ARGUMENT ...]`: FD is the reading end of a pipe
whose writing end only the parent holds. When the parent dies, even by `kill -9`, the kernel closes
that end; this process then stops its whole process group. Without it, a killed `rostrum serve`
would leave a second Dagster daemon behind, and every sensor would tick twice after the next start.
What ignores TERM and outlives this process is beyond its reach; an orderly stop reaches that too.

`parent=PID` in its place is for a process that its parent starts without a pipe, as a build does
dbt: it asks who its parent is, and ends alone. Without it, a killed build would leave a dbt behind
that holds the warehouse file. It is interrupted first: killed as DuckDB writes its list of
contents, it would leave half of it.
"""

import os
import runpy
import signal
import sys
import threading
import time

from orchestration.entry import relax_gc

# Streamlit, the webserver and the daemon each need 2 to 3 s to stop (2 cores, 2026-11-21).
GRACE_S = 5.0
# What dbt and DuckDB need to end what they write; who waits for the file waits no longer.
INTERRUPTED_S = 2.0
POLL_S = 0.2


def stop_group_at_end_of(fd: int) -> None:
    """Wait until the pipe's other end is closed, then stop this process group: TERM, then KILL."""
    while os.read(fd, 1):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(GRACE_S)
    os.killpg(0, signal.SIGKILL)


def end_with(parent: int) -> None:
    """Wait until this process has another parent, then interrupt it, and kill it if need be."""
    while os.getppid() == parent:
        time.sleep(POLL_S)
    if callable(signal.getsignal(signal.SIGINT)):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(INTERRUPTED_S)
    os.kill(os.getpid(), signal.SIGKILL)


def main(arguments: list[str]) -> None:
    """Watch from a thread, and become the module."""
    kind, _, number = arguments[0].partition("=")
    watch = {"pipe": stop_group_at_end_of, "parent": end_with}[kind]
    if kind == "pipe":
        # What the module starts must not hold the pipe.
        os.set_inheritable(int(number), False)
    else:
        relax_gc()
    threading.Thread(target=watch, args=(int(number),), daemon=True).start()
    sys.argv = arguments[1:]
    runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
