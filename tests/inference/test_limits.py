import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.judges.base import Reply
from inference.registry import spec_for
from inference.runs.limits import Bucket, Budget, Pace, backoff_s
from inference.runs.sending import Sender

GOOD = Reply("4", tokens_in=100, tokens_out=10)
LIMITED = Reply(error_kind="rate_limited")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        # A little more, as the loop's own clock has it: rounding could leave a wait of nothing.
        self.now += seconds + 1e-6


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("inference.runs.limits.asyncio.sleep", made.sleep)
    return made


def test_the_window_halves_once_for_all_that_were_under_way(clock: Clock) -> None:
    async def run() -> None:
        pace = Pace(16, {}, clock)
        began = [await pace.start(1) for _ in range(16)]
        clock.now += 1
        for each in began:
            pace.end(each, LIMITED, 1)
        assert pace.window == 8
        later = await pace.start(1)
        clock.now += 1
        pace.end(later, LIMITED, 1)
        # Begun at the moment of the cut, so it says nothing about the smaller window.
        assert pace.window == 8
        later = await pace.start(1)
        clock.now += 1
        pace.end(later, LIMITED, 1)
        assert pace.window == 4

    asyncio.run(run())


def test_the_window_grows_by_one_per_window_of_answers_up_to_its_most(clock: Clock) -> None:
    async def run() -> None:
        pace = Pace(8, {}, clock)
        pace.end(await pace.start(1), LIMITED, 1)
        assert pace.window == 4
        for _ in range(4):
            pace.end(await pace.start(1), GOOD, 1)
        assert pace.window == pytest.approx(5, abs=0.15)
        for _ in range(100):
            pace.end(await pace.start(1), GOOD, 1)
        assert pace.window == 8

    asyncio.run(run())


def test_no_more_are_in_flight_than_the_window_lets() -> None:
    async def run() -> int:
        pace, most, now = Pace(5, {}), 0, 0

        async def one() -> None:
            nonlocal most, now
            began = await pace.start(1)
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.001)
            now -= 1
            pace.end(began, GOOD, 1)

        await asyncio.gather(*(one() for _ in range(50)))
        return most

    assert asyncio.run(run()) == 5


def test_a_turn_that_is_given_up_while_waiting_goes_to_the_next() -> None:
    async def run() -> None:
        pace = Pace(1, {})
        began = await pace.start(1)
        first, second = asyncio.create_task(pace.start(1)), asyncio.create_task(pace.start(1))
        await asyncio.sleep(0)
        pace.end(began, GOOD, 1)
        first.cancel()
        await asyncio.wait_for(second, 1)

    asyncio.run(run())


def test_the_endpoint_is_left_alone_as_long_as_it_asked(clock: Clock) -> None:
    async def run() -> float:
        pace = Pace(4, {}, clock)
        pace.end(await pace.start(1), Reply(error_kind="rate_limited", retry_after_s=7.0), 1)
        return await pace.start(1) - 100.0

    assert asyncio.run(run()) == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [({"requests_per_minute": 1200}, 1), ({"tokens_per_minute": 120_000}, 100)],
)
def test_rates_per_minute_are_kept(clock: Clock, settings: dict[str, int], tokens: int) -> None:
    async def run() -> float:
        pace = Pace(50, settings, clock)
        # 20 requests a second: what may come at once is taken first.
        burst = 20 if "requests_per_minute" in settings else 200
        for _ in range(burst + 10):
            pace.end(await pace.start(tokens), Reply("4", tokens_in=tokens, tokens_out=0), tokens)
        return clock.now - 100.0

    assert asyncio.run(run()) == pytest.approx(0.5, abs=1e-3)


@given(st.lists(st.floats(0.1, 50), min_size=1, max_size=60), st.floats(60, 6000))
def test_a_bucket_never_exceeds_its_rate(amounts: list[float], per_minute: float) -> None:
    clock = Clock()
    bucket = Bucket(per_minute, 1.0, clock)
    began = clock.now
    for amount in amounts:
        clock.now += bucket.wait_s(amount)
        bucket.take(amount)
    most_at_once = max(1.0, per_minute / 60)
    allowed = most_at_once + (clock.now - began) * per_minute / 60
    # The last one may be larger than the bucket, which then owes the rest.
    assert sum(amounts[:-1]) + min(amounts[-1], most_at_once) <= allowed + 1e-6


@given(st.integers(1, 30), st.none() | st.floats(0, 1000), st.integers(0, 10**6))
def test_waits_grow_and_respect_the_endpoint(
    failures: int, asked_for: float | None, seed: int
) -> None:
    wait_s = backoff_s(failures, asked_for, random.Random(seed))
    if asked_for is None:
        longest = min(60.0, 0.5 * 2 ** (failures - 1))
        assert longest / 2 <= wait_s <= longest
    else:
        assert asked_for <= wait_s <= asked_for * 1.1 + 0.05 + 1e-9


def test_a_request_is_sent_again_when_the_endpoint_allows_it_and_no_sooner(clock: Clock) -> None:
    replies = [Reply(error_kind="rate_limited", retry_after_s=120.0), GOOD]

    async def attempt(_: object) -> Reply:
        return replies.pop(0)

    sender = Sender(spec_for("openai/x", None, {}), 4, Pace(4, {}, clock))
    began = clock.now
    outcome = asyncio.run(sender.send(attempt, 1))
    assert (outcome.reply, outcome.attempts) == (GOOD, 2)
    assert clock.now - began >= 120


def test_a_budget_counts_what_is_under_way() -> None:
    async def run() -> list[bool]:
        budget = Budget(1.0, spent_usd=0.3)
        first = await budget.reserve(0.5)
        waiting = asyncio.create_task(budget.reserve(0.5))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        budget.settle(0.5, 0.1)
        second = await waiting
        budget.settle(0.5, 0.1)
        return [first, second, await budget.reserve(0.6), budget.is_exhausted]

    # 0.3 + 0.1 + 0.1 spent: another 0.6 could pass 1.
    assert asyncio.run(run()) == [True, True, False, True]


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 1)), min_size=1, max_size=40),
    st.floats(0.1, 5),
)
def test_a_budget_is_never_passed(costs: list[tuple[float, float]], limit: float) -> None:
    async def run() -> float:
        budget, spent = Budget(limit), 0.0

        async def one(most: float, share: float) -> None:
            nonlocal spent
            if await budget.reserve(most):
                await asyncio.sleep(0)
                spent += most * share
                budget.settle(most, most * share)

        await asyncio.gather(*(one(*cost) for cost in costs))
        return spent

    assert asyncio.run(run()) <= limit + 1e-9


def test_without_a_budget_everything_goes() -> None:
    assert asyncio.run(Budget(None).reserve(1e9))
