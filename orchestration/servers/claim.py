"""The claim of the process that serves a home; `warehouse.serving` says who holds it."""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from warehouse.files import write_atomically
from warehouse.home import Home
from warehouse.serving import Addresses, lock_file, read_addresses

RETRY_S = 0.2


class AlreadyServing(Exception):
    """A Rostrum is live on this home; its addresses say where."""

    def __init__(self, addresses: Addresses) -> None:
        self.addresses = addresses
        super().__init__(
            f"serve: this home is served already, at {addresses.dashboard} and "
            f"{addresses.dagster}; use those, or stop that serve with Ctrl-C first"
        )


class ServeFailed(Exception):
    """The servers did not come up, or one of them ended by itself."""


@contextmanager
def claimed(home: Home, say: Callable[[str], None], timeout_s: float) -> Iterator[None]:
    """Hold the home's serve lock; the kernel frees it when this process dies, however it dies."""
    home.root.mkdir(parents=True, exist_ok=True)
    # Never removed: a second lock on a new file of the same name would exclude nobody.
    descriptor = os.open(lock_file(home), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = time.monotonic() + timeout_s
        attempts = 0
        while not _lock(descriptor):
            attempts += 1
            # A first refusal may come from someone who only looks, and addresses found then may
            # be those of a serve that was killed.
            addresses = read_addresses(home) if attempts > 1 else None
            if addresses:
                raise AlreadyServing(addresses)
            if time.monotonic() > deadline:
                raise ServeFailed(
                    f"serve: another serve on {home.root} has not come up in {timeout_s:.0f} s; "
                    f"stop it, or look at its logs in {home.logs}"
                )
            if attempts == 2:
                say("Another serve is starting or stopping on this home: waiting for it.")
            time.sleep(RETRY_S)
        home.serve_file.unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def announce(home: Home, addresses: Addresses) -> None:
    """Let other processes find the addresses."""
    write_atomically(home.serve_file, json.dumps(addresses._asdict()).encode())


def _lock(descriptor: int) -> bool:
    """Take the lock if it is free."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
