"""Two runs at once at one provider keep its rates together, by a row in Postgres."""

import asyncio
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inference.errors import StoreUnavailable
from inference.registry import add_judge_text, spec_for
from inference.runs.limits import Pace
from inference.runs.rates import VARIABLE, SharedRates, shared_rates
from tests.scale.conftest import Postgres

pytestmark = pytest.mark.scale("psycopg2")
PER_MINUTE, BURST = 600, 10
RATES = {"requests_per_minute": PER_MINUTE}


@pytest.fixture
def database(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> str:
    found = postgres.new_database()
    monkeypatch.setenv(VARIABLE, found)
    return found


def taken_at(rates: SharedRates, times: int) -> list[float]:
    """Take so many requests one after the other, as a run of its own, and return when."""

    async def take() -> list[float]:
        pace = Pace(times, RATES, shared=rates)
        return [await pace.start(1) for _ in range(times)]

    return asyncio.run(take())


def test_two_runs_together_ask_no_faster_than_the_rate_allows(database: str) -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(2) as threads:
        both = threads.map(lambda _: taken_at(SharedRates(database, "stub", RATES), 8), range(2))
        at = sorted(when for each in both for when in each)
    for count, when in enumerate(at, 1):
        # Postgres has another clock; half a request is more than the two can differ.
        assert count <= BURST + (when - began) * PER_MINUTE / 60 + 0.5


def test_tokens_that_were_used_beyond_what_was_told_are_owed_by_all(database: str) -> None:
    # One may come at once, and the next after a thousand seconds; nothing of it is waited for.
    settings = {"tokens_per_minute": 0.06}
    first, second = (SharedRates(database, "stub", settings) for _ in range(2))
    assert first.take(1, 0) == 0
    assert 0 < second.take(1, 0) <= 1000
    assert 2000 < second.take(1, 2) <= 3000
    # Another model's are its own.
    assert SharedRates(database, "other", settings).take(1, 0) == 0


def test_a_judge_with_rates_shares_them_where_the_environment_names_a_postgres(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judges = tmp_path / "judges.toml"
    judges.write_text(add_judge_text("", "openai/stub", RATES))
    spec = spec_for("openai/stub", judges, {})
    shared = shared_rates(spec)
    # As an actor of Ray gets it.
    assert pickle.loads(pickle.dumps(shared)).take(1, 0) == 0
    monkeypatch.setenv(VARIABLE, "host=127.0.0.1 port=1 dbname=rates password=secret")
    away = shared_rates(spec)
    assert away is not None
    with pytest.raises(StoreUnavailable, match="run the same command again") as raised:
        away.take(1, 0)
    assert "secret" not in str(raised.value)
    monkeypatch.delenv(VARIABLE)
    assert shared_rates(spec) is None
