"""Waiting for a lock: tell the user once, and give up in time."""

import time
from collections.abc import Callable
from typing import TypeVar

from warehouse.errors import WarehouseBusy

POLL_S = 0.2
WAIT_S = 600.0
_Got = TypeVar("_Got")


class Held(Exception):
    """Another process holds what an attempt was to take."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def say_nothing(message: str) -> None:
    """Ignore a message."""
    del message


def wait_for(
    attempt: Callable[[float], _Got],
    *,
    wait_s: float,
    notify: Callable[[str], None],
    message: str = "waiting for {holder} to finish with the warehouse",
    refusal: str = "warehouse: still held by {holder} after {seconds} s; wait for it to end, or "
    "stop that process, then run this again",
) -> _Got:
    """Repeat an attempt until it succeeds.

    Args:
        attempt: Raises `Held` while another process holds the lock. It may itself wait for the
            seconds it is given: none at first, then those that are left.

    Raises:
        WarehouseBusy: The lock is still held after `wait_s`.
    """
    deadline = time.monotonic() + wait_s
    left, is_told = 0.0, False
    while True:
        try:
            return attempt(left)
        except Held as held:
            left = deadline - time.monotonic()
            if left <= 0:
                text = refusal.replace("{holder}", held.holder)
                raise WarehouseBusy(text.replace("{seconds}", f"{wait_s:.0f}")) from None
            if is_told:
                time.sleep(min(POLL_S, left))
            else:
                notify(message.replace("{holder}", held.holder))
                is_told = True
