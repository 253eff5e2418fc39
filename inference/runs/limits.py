"""How fast a judge is asked: requests in flight, requests and tokens a minute, waits, and money.

The window of requests in flight opens by one for every window of answers and halves when the
endpoint says it is too much, once for all that were under way when it said so (additive increase,
multiplicative decrease, as in Chiu and Jain 1989).
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from inference.judges.base import Reply

# What says that the endpoint has too much to do.
_TOO_MUCH = frozenset({"overloaded", "rate_limited"})
# Requests may come this much ahead of an even pace, in seconds of it.
_BURST_S = 1.0
_TOKEN_BURST_S = 10.0
_FIRST_BACKOFF_S = 0.5
_LONGEST_BACKOFF_S = 60.0


class Bucket:
    """A rate a minute, kept on average: it fills evenly and holds a short burst.

    Attributes:
        level: How much was left when it was last asked; below zero where some is owed.
    """

    def __init__(self, per_minute: float, burst_s: float, clock: Callable[[], float]) -> None:
        self._per_second = per_minute / 60
        self._most = max(1.0, self._per_second * burst_s)
        self._clock = clock
        self.level = self._most
        self._at = clock()

    def was(self, level: float, seconds: float) -> None:
        """Take over what was left so many seconds ago, as another process knows."""
        self.level, self._at = level, self._clock() - seconds

    def wait_s(self, amount: float) -> float:
        """Return how long to wait until this much may be taken.

        More than the bucket can hold may be taken from a full one, which then owes the rest.
        """
        self._fill()
        lacking = min(amount, self._most) - self.level
        return max(0.0, lacking / self._per_second)

    def take(self, amount: float) -> None:
        """Take this much; a negative amount gives back what was taken too much."""
        self._fill()
        self.level = min(self._most, self.level - amount)

    def _fill(self) -> None:
        now = self._clock()
        self.level = min(self._most, self.level + (now - self._at) * self._per_second)
        self._at = now


class Shared(Protocol):
    """Rates that several runs take from."""

    def take(self, tokens: float, owed: float) -> float:
        """Take a request with its tokens, or return how many seconds to wait."""


class Pace:
    """Lets requests go one by one, as many at once and as fast as the judge can take.

    Args:
        shared: What other runs take from the same rates, too; None where the rates are this run's.
    """

    def __init__(
        self,
        concurrency: int,
        settings: Mapping[str, Any],
        clock: Callable[[], float] = time.monotonic,
        shared: Shared | None = None,
    ) -> None:
        self.window = float(concurrency)
        self._most = float(concurrency)
        self._clock = clock
        self._in_flight = 0
        self._cut_at = float("-inf")
        self._quiet_until = float("-inf")
        self._longest_quiet_s = float(settings.get("deadline_s", float("inf")))
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests, self._tokens = buckets(settings, clock)
        self._shared = shared
        # Tokens used beyond what was told, which the shared rates hear of with the next request.
        self._owed = 0.0
        self._turn = asyncio.Lock()

    async def start(self, tokens: int) -> float:
        """Wait for a turn, and return the time it began."""
        while True:
            if self._in_flight >= int(self.window):
                turn = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                try:
                    await turn
                except asyncio.CancelledError:
                    if turn.done() and not turn.cancelled():
                        self._wake()
                    raise
                continue
            wait_s = self._wait_s(tokens)
            if wait_s <= 0:
                break
            await asyncio.sleep(wait_s)
        self._in_flight += 1
        if self._requests:
            self._requests.take(1)
        if self._tokens:
            self._tokens.take(tokens)
        if self._shared:
            try:
                await self._take_shared(self._shared, tokens)
            except BaseException:
                self._in_flight -= 1
                self._wake()
                raise
        return self._clock()

    async def _take_shared(self, shared: Shared, tokens: int) -> None:
        # One asks for all that wait here, and the next when it has its turn.
        async with self._turn:
            while True:
                owed, self._owed = self._owed, 0.0
                wait_s = await asyncio.to_thread(shared.take, tokens, owed)
                if wait_s <= 0:
                    return
                await asyncio.sleep(wait_s)

    def end(self, started_at: float, reply: Reply | None, tokens: int) -> None:
        """Give the turn back, and learn from what came of it."""
        self._in_flight -= 1
        if reply is not None:
            used = (reply.tokens_in or 0) + (reply.tokens_out or 0)
            if self._tokens and used:
                self._tokens.take(used - tokens)
                self._owed += used - tokens
            if reply.error_kind in _TOO_MUCH:
                now = self._clock()
                if started_at > self._cut_at:
                    self.window = max(1.0, self.window / 2)
                    self._cut_at = now
                # A request that may not wait so long fails, and so does the next.
                quiet_s = min(reply.retry_after_s or 0.0, self._longest_quiet_s)
                self._quiet_until = max(self._quiet_until, now + quiet_s)
            elif reply.error_kind is None:
                self.window = min(self._most, self.window + 1 / self.window)
        self._wake()

    def _wait_s(self, tokens: int) -> float:
        waits = [self._quiet_until - self._clock()]
        if self._requests:
            waits.append(self._requests.wait_s(1))
        if self._tokens:
            waits.append(self._tokens.wait_s(tokens))
        return max(waits)

    def _wake(self) -> None:
        free = int(self.window) - self._in_flight
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


def backoff_s(failures: int, retry_after_s: float | None, generator: random.Random) -> float:
    """Return how long to wait before a request is tried again.

    Twice as long after each failure, and up to half of it less, so that requests which failed
    together do not come back together; never shorter than the endpoint asked for.
    """
    longest = min(_LONGEST_BACKOFF_S, _FIRST_BACKOFF_S * 2.0 ** (failures - 1))
    wait_s = longest * generator.uniform(0.5, 1.0)
    if retry_after_s is None:
        return wait_s
    return retry_after_s + min(wait_s, 0.1 * retry_after_s + 0.05)


class Budget:
    """Keeps what a run costs under a limit, counting the most that each request under way can cost.

    Attributes:
        is_exhausted: Whether a request was held back because it could have passed the limit.
    """

    def __init__(self, limit_usd: float | None, spent_usd: float = 0.0) -> None:
        self._limit = limit_usd
        self._spent = spent_usd
        self._reserved = 0.0
        self._changed = asyncio.Event()
        self.is_exhausted = False

    async def reserve(self, most_usd: float, *, can_wait: bool = True) -> bool:
        """Set the most that a request can cost aside; False where that could pass the limit.

        While others are under way it waits for what they leave over. Who has money set aside
        already cannot wait: all others may wait, too.
        """
        if self._limit is None:
            return True
        while self._spent + self._reserved + most_usd > self._limit:
            if not can_wait:
                return False
            if self._reserved <= 0 or self.is_exhausted:
                self.is_exhausted = True
                self._changed.set()
                return False
            self._changed.clear()
            await self._changed.wait()
        self._reserved += most_usd
        return True

    @property
    def state(self) -> tuple[float, bool]:
        """What was spent, and whether a request was held back."""
        return self._spent, self.is_exhausted

    @state.setter
    def state(self, state: tuple[float, bool]) -> None:
        self._spent, self.is_exhausted = state

    def settle(self, reserved_usd: float, cost_usd: float) -> None:
        """Replace what was set aside by what it cost."""
        if self._limit is None:
            return
        self._reserved = max(0.0, self._reserved - reserved_usd)
        if self._reserved < 1e-12:
            self._reserved = 0.0
        self._spent += cost_usd
        self._changed.set()


def buckets(
    settings: Mapping[str, Any], clock: Callable[[], float]
) -> tuple[Bucket | None, Bucket | None]:
    """Return what keeps a judge's requests and its tokens a minute; None for a rate not set."""
    requests, tokens = settings.get("requests_per_minute"), settings.get("tokens_per_minute")
    return (
        None if requests is None else Bucket(float(requests), _BURST_S, clock),
        None if tokens is None else Bucket(float(tokens), _TOKEN_BURST_S, clock),
    )
