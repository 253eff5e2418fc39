"""Sending a request: at the judge's pace, again where that helps, within its deadline.

Runs, steps of pipelines and transcriptions all send through this, so that the settings of a judge
hold wherever it is asked.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from inference.errors import DOUBTFUL_KINDS, TRANSIENT_KINDS, UNBILLED_KINDS
from inference.judges.base import Reply
from inference.registry import JudgeSpec
from inference.runs.limits import Pace, backoff_s
from inference.runs.rates import shared_rates

# Sends the request once, given the steps that earlier attempts have finished.
Attempt = Callable[[Sequence[Mapping[str, Any]]], Awaitable[Reply]]
# Says whether another attempt can be paid for.
Afford = Callable[[], Awaitable[bool]]


class Stopped(Exception):
    """The sender was stopped before a request was sent."""


class Outcome(NamedTuple):
    """The outcome of a request.

    Attributes:
        latency_s: Seconds from sending the last attempt to its reply.
        retried: How each attempt before the last failed, and how long was waited then.
    """

    reply: Reply
    attempts: int = 0
    latency_s: float = 0.0
    doubtful: int = 0
    retried: tuple[Mapping[str, Any], ...] = ()

    def usd_at_most(self, request_usd: float, message_usd: float) -> float:
        """Return the most that the request may have cost: an unknown cost counts as its bound."""
        known = self.reply.cost_usd
        if known is None:
            has_reply = self.reply.error_kind is None or self.reply.steps
            known = request_usd if has_reply and self.attempts else 0.0
        return known + self.doubtful * message_usd


async def always() -> bool:
    """Afford every attempt."""
    return True


class Sender:
    """Sends the requests of one judge."""

    def __init__(
        self,
        spec: JudgeSpec,
        concurrency: int,
        pace: Pace | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._pace = pace or Pace(concurrency, spec.settings, shared=shared_rates(spec))
        self._max_retries = int(spec.settings.get("max_retries", 0))
        self._deadline_s = float(spec.settings.get("deadline_s", float("inf")))
        self._is_stopped = is_stopped
        # When to try again need not be reproducible; that two runs do not do it in step matters.
        self._jitter = random.Random()  # noqa: S311

    async def send(self, attempt: Attempt, tokens: int, afford: Afford = always) -> Outcome:
        """Return the outcome of a request.

        Args:
            afford: Whether another attempt can be paid for after one that may be billed.
        """
        until = time.monotonic() + self._deadline_s
        steps: Sequence[Mapping[str, Any]] = ()
        attempts = doubtful = tries = said = 0
        retried: list[Mapping[str, Any]] = []
        while True:
            began = await self._pace.start(tokens)
            reply: Reply | None = None
            try:
                if self._is_stopped() and not attempts:
                    raise Stopped
                reply = await attempt(steps)
            finally:
                self._pace.end(began, reply, tokens)
            now = time.monotonic()
            attempts += reply.is_sent
            doubtful += reply.is_sent and reply.error_kind in DOUBTFUL_KINDS
            steps = reply.steps or steps
            if doubtful and reply.error_kind in UNBILLED_KINDS and not reply.steps:
                # The refusal is free, but what broke off before it may not have been.
                reply = replace(reply, cost_usd=None)
            outcome = Outcome(reply, attempts, now - began, doubtful, tuple(retried))
            replies = sum(step.get("reply") is not None for step in reply.steps)
            if replies > said:
                # It is another message of the request that has failed now.
                tries, said, until = 0, replies, now + self._deadline_s
            tries += 1
            if reply.error_kind not in TRANSIENT_KINDS or tries > self._max_retries:
                return outcome
            wait_s = backoff_s(tries, reply.retry_after_s, self._jitter)
            if now + wait_s > until or self._is_stopped():
                return outcome
            if reply.error_kind in DOUBTFUL_KINDS and not await afford():
                return outcome
            retried.append(
                {
                    "error_kind": reply.error_kind,
                    "error": reply.error,
                    "latency_s": round(now - began, 6),
                    "wait_s": round(wait_s, 3),
                }
            )
            await asyncio.sleep(wait_s)
