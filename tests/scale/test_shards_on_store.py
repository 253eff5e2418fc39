"""Runs in shards with their journals in an S3 store, of which writes come only where none is."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inference.errors import LeaseLost, StoreUnavailable
from inference.experiments import load_experiment
from inference.runner import RunSummary
from inference.shards.asking import Shards
from inference.shards.lease import Lease, lease_of, take
from inference.shards.places import VARIABLE
from inference.shards.store import Store
from tests.inference.inference_fixtures import (
    Stub,
    go,
    model,
    write_items,
)
from tests.inference.scripted import Scripted, assert_each_has_one_answer, kill_a_worker
from tests.scale.conftest import Store as Server

pytestmark = pytest.mark.scale

SPEECHES = load_experiment("speech-score")
# A dead process is noticed at once. One that only is slow keeps its shard for so long.
LEASE_S = 300.0


@pytest.fixture
def endpoint() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


@pytest.fixture
def bucket(s3: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    url = s3.new_bucket()
    monkeypatch.setenv(VARIABLE, f"{url}/journals")
    return url


def split(folder: Path, endpoint: Stub, count: int, lease_s: float = LEASE_S) -> RunSummary:
    spec = model(folder, endpoint, concurrency=4)
    shards = Shards(count, lease_s=lease_s) if count else None
    return go(folder, SPEECHES, spec, write_items(folder, 60), shards=shards)


def test_killed_workers_cost_what_they_had_under_way_and_no_segment_is_lost(
    tmp_path: Path, endpoint: Scripted, bucket: str
) -> None:
    endpoint.at = {30: kill_a_worker}
    summary = split(tmp_path, endpoint, 2)
    assert (summary.status, summary.answered, endpoint.at) == ("complete", 60, {})
    # In flight, and up to a second of answers whose segment was not stored.
    assert sum(endpoint.asked().values()) < 120
    assert_each_has_one_answer(tmp_path)


def test_another_home_has_what_shards_elsewhere_answered(
    tmp_path: Path, endpoint: Scripted, bucket: str
) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    split(tmp_path / "first", endpoint, 2)
    summary = split(tmp_path / "second", endpoint, 0)
    assert (summary.status, summary.already_answered) == ("complete", 60)
    assert set(endpoint.asked().values()) == {1}


def test_a_stopped_worker_that_wakes_up_adds_no_answers(
    tmp_path: Path, endpoint: Scripted, bucket: str
) -> None:
    stopped: list[int] = []

    def wake() -> None:
        os.kill(stopped[0], signal.SIGCONT)
        time.sleep(1.0)

    # By then either shard has asked something, whichever began first.
    endpoint.at = {40: lambda: stopped.append(kill_a_worker(signal.SIGSTOP)), 60: wake}
    summary = split(tmp_path, endpoint, 2, lease_s=20.0)
    assert (summary.status, summary.answered, endpoint.at) == ("complete", 60, {})
    assert_each_has_one_answer(tmp_path)


def test_the_seal_takes_the_number_of_the_next_segment(s3: Server) -> None:
    place = Store(f"{s3.new_bucket()}/journals/a-run")
    lease = Lease(place, "0", take(place, "0", LEASE_S), LEASE_S)
    with place.journal(lease) as journal:
        journal.append_now({"kind": "answer", "request_id": "first"})
        assert take(place, "0", LEASE_S) == 2
        with pytest.raises(LeaseLost, match="shard 0 was taken over from this worker, of epoch 1"):
            journal.append_now({"kind": "answer", "request_id": "late"})
    place.seal("0", 1)
    assert [line["request_id"] for line in place.lines("0", 1)] == ["first"]
    lease.renew()
    with pytest.raises(LeaseLost):
        lease.check()


def test_one_of_many_takes_an_epoch(s3: Server) -> None:
    place = Store(f"{s3.new_bucket()}/journals/a-run")
    assert not place.exists()
    taken = [place.begin("0", 1, lease_of("now", LEASE_S)) for _ in range(3)]
    assert taken == [True, False, False]
    assert (place.shards(), place.epochs("0")) == (["0"], [1])


def test_a_segment_that_was_stored_but_not_acknowledged_counts_once(s3: Server) -> None:
    place = Store(f"{s3.new_bucket()}/journals/a-run")
    take(place, "0", LEASE_S)
    assert place.add_segment("0", 1, 0, b"{}\n")
    assert place.add_segment("0", 1, 0, b"{}\n")
    assert not place.add_segment("0", 1, 0, b'{"other": 1}\n')


class _Away(Store):
    """A store that is away for the first writes of segments."""

    left = 3

    def add_segment(self, shard: str, epoch: int, number: int, data: bytes) -> bool:
        self.left -= 1
        if self.left >= 0:
            raise StoreUnavailable("away")
        return super().add_segment(shard, epoch, number, data)


def test_a_segment_waits_for_a_store_that_is_away_as_long_as_the_lease_holds(s3: Server) -> None:
    place = _Away(f"{s3.new_bucket()}/journals/a-run")
    lease = Lease(place, "0", take(place, "0", LEASE_S), LEASE_S)
    with place.journal(lease) as journal:
        journal.append_now({"kind": "answer", "request_id": "first"})
    place.seal("0", 1)
    assert [line["request_id"] for line in place.lines("0", 1)] == ["first"]
    place.left = 1000
    short = Lease(place, "1", take(place, "1", LEASE_S), 0.1)
    with place.journal(short) as journal, pytest.raises(LeaseLost, match="not heard of for"):
        journal.append_now({"kind": "answer", "request_id": "late"})


def test_a_bucket_that_is_not_there_says_what_is_needed(
    tmp_path: Path, endpoint: Scripted, s3: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "s3://nobody-made-this/journals")
    with pytest.raises(StoreUnavailable, match=r"NoSuchBucket.*needs s3:ListBucket"):
        split(tmp_path, endpoint, 2)
    assert endpoint.bodies == []


def test_a_bucket_without_rights_says_what_is_needed(
    tmp_path: Path, endpoint: Scripted, s3: Server, bucket: str
) -> None:
    said = r"cannot list .*needs s3:ListBucket.*AWS_ACCESS_KEY_ID"
    with s3.refusing(), pytest.raises(StoreUnavailable, match=said):
        split(tmp_path, endpoint, 2)
    assert endpoint.bodies == []


def test_a_store_out_of_reach_is_named(
    tmp_path: Path, endpoint: Scripted, s3: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "s3://bucket/journals")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StoreUnavailable, match="check AWS_ENDPOINT_URL"):
        split(tmp_path, endpoint, 2)
