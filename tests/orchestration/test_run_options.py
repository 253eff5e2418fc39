"""`rostrum run`: what limits a run or asks again reaches the judge."""

from collections.abc import Iterator

import pytest

from ingestion.load import load
from ingestion.speeches.readers.sample_speeches import sample_batch
from tests.conftest import run_rostrum
from tests.inference.inference_fixtures import KEY, Stub
from warehouse.home import Home

JUDGE = "openai/gpt-4.1-mini"


@pytest.fixture
def stub() -> Iterator[Stub]:
    endpoint = Stub()
    yield endpoint
    endpoint.close()


def test_a_run_has_no_more_than_its_limit_and_its_budget_and_asks_again_when_fresh(
    home: Home, stub: Stub
) -> None:
    load(home, sample_batch())
    # A request costs a dollar, and is taken to cost some more before it is answered.
    prices = ("usd_per_million_tokens_in=10_000", "usd_per_million_tokens_out=0")
    settings = (f"base_url={stub.url}", "concurrency=1", *prices)
    pairs = [part for pair in settings for part in ("--set", pair)]
    assert run_rostrum(home, "judges", "add", JUDGE, *pairs).returncode == 0

    def asked(*options: str) -> tuple[int, int]:
        before = len(stub.bodies)
        run = ["run", "speech-score", "--judge", JUDGE, "--no-build", *options]
        done = run_rostrum(home, *run, env=dict(KEY))
        return done.returncode, len(stub.bodies) - before

    code, first = asked("--limit", "2")
    assert code == 0
    assert 0 < first <= 2 * 3
    assert asked("--limit", "2") == (0, 0)
    assert asked("--limit", "2", "--fresh") == (0, first)
    code, more = asked("--limit", "30", "--budget", "20")
    assert code == 1
    assert 0 < more <= 20
