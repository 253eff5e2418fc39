"""The right to write a shard's journal: one holder at a time, who renews a lease.

A shard is taken over by beginning the next epoch, which only one can do, and by sealing the
journals of those before it. The seal is what keeps a worker that was only cut off from adding
answers; the lease spares others the wait, and tells the worker itself.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol, Self

from inference.errors import InferenceError, LeaseHeld, LeaseLost
from inference.journal import Journal
from inference.runs.lines import timestamp

# Nothing of a worker for so long, and its shard is given to another.
LEASE_S = 15.0
_RENEWALS = 3
# The shard of the process that runs the others; it has no answers.
RUN = "run"


class Place(Protocol):
    """A folder or store of the journals of a run's shards, one journal per epoch, from 1."""

    def exists(self) -> bool:
        """Return whether there is any shard."""

    def shards(self) -> list[str]:
        """Return the names of all shards there ever were."""

    def epochs(self, shard: str) -> list[int]:
        """Return a shard's epochs, oldest first."""

    def begin(self, shard: str, epoch: int, lease: Mapping[str, Any]) -> bool:
        """Begin an epoch; False where another process has."""

    def lease(self, shard: str, epoch: int) -> dict[str, Any]:
        """Return the content of an epoch's lease."""

    def renew(self, shard: str, epoch: int, lease: Mapping[str, Any]) -> bool:
        """Write an epoch's lease again; False where the epoch is over."""

    def is_sealed(self, shard: str, epoch: int) -> bool:
        """Return whether an epoch is over."""

    def seal(self, shard: str, epoch: int) -> None:
        """End an epoch: what is added to its journal from now on does not count."""

    def journal(self, lease: Lease) -> Journal:
        """Open an epoch's journal for writing."""

    def lines(self, shard: str, epoch: int) -> Iterator[dict[str, Any]]:
        """Yield the lines of an epoch's journal up to the seal."""


class Lease:
    """The right to write one epoch of a shard; renewed by a thread while it is entered."""

    def __init__(self, place: Place, shard: str, epoch: int, lease_s: float) -> None:
        self.shard, self.epoch = shard, epoch
        self._place, self._lease_s = place, lease_s
        self._since = timestamp()
        self._until = time.monotonic() + lease_s
        self._is_lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def check(self) -> None:
        """Make sure that the lease still holds."""
        if self._is_lost or time.monotonic() > self._until:
            raise LeaseLost(
                f"shards: shard {self.shard} is another worker's since this one, of epoch "
                f"{self.epoch}, was not heard of for {self._lease_s:g} s; it stops, and what it "
                "did not write down yet is asked again there"
            )

    def renew(self) -> None:
        """Say once more that the shard is held."""
        now = time.monotonic()
        if self._place.renew(self.shard, self.epoch, lease_of(self._since, self._lease_s)):
            self._until = now + self._lease_s
        else:
            self._is_lost = True

    def __enter__(self) -> Self:
        # Before anything is asked: only who was heard of once is missed.
        self.renew()
        self.check()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _keep(self) -> None:
        while not (self._ended.wait(self._lease_s / _RENEWALS) or self._is_lost):
            # The next renewal may come through; if none does, the lease runs out.
            with suppress(InferenceError, OSError):
                self.renew()


def lease_of(since: str, lease_s: float) -> dict[str, Any]:
    """Return the content of this process's lease."""
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": since,
        "renewed_at": timestamp(),
        "lease_s": lease_s,
    }


def take(place: Place, shard: str, lease_s: float) -> int:
    """Begin a shard's next epoch, end those before it, and return it.

    Whoever held it before is no longer asked; `settled` looks after that where it is needed.
    """
    before = place.epochs(shard)
    epoch = max(before, default=0) + 1
    if not place.begin(shard, epoch, lease_of(timestamp(), lease_s)):
        raise held(shard, place.lease(shard, epoch))
    for each in before:
        place.seal(shard, each)
    return epoch


async def settled(place: Place, shard: str) -> None:
    """Wait until a shard has no holder.

    A holder that is not heard of, on this or another machine, is waited for as long as its lease
    lasts, unless it is known to be dead.
    """
    epoch = max(place.epochs(shard), default=0)
    if not epoch or place.is_sealed(shard, epoch):
        return
    found = place.lease(shard, epoch)
    until = time.monotonic() + found["lease_s"]
    while not _is_dead(found) and time.monotonic() < until:
        await asyncio.sleep(min(1.0, found["lease_s"] / 10))
        now = place.lease(shard, epoch)
        if place.is_sealed(shard, epoch):
            return
        if now["renewed_at"] != found["renewed_at"]:
            raise held(shard, now)


def held(shard: str, lease: Mapping[str, Any]) -> LeaseHeld:
    """Return the error that names a holder."""
    what = "this run" if shard == RUN else f"shard {shard} of this run"
    return LeaseHeld(
        f"shards: {what} is held by process {lease['pid']} on {lease['host']} since "
        f"{lease['since']} (heard of at {lease['renewed_at']}); wait for it to end, or stop it, "
        "then run the same command again"
    )


def _is_dead(lease: Mapping[str, Any]) -> bool:
    if lease["host"] != socket.gethostname():
        return False
    try:
        with suppress(PermissionError):
            os.kill(lease["pid"], 0)
    except ProcessLookupError:
        return True
    return False
