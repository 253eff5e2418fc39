import asyncio
import fcntl
import multiprocessing
import os
import signal
import socket
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from inference.errors import (
    BadSettings,
    JudgeUnavailable,
    LeaseHeld,
    LeaseLost,
    MissingKey,
    RunInterrupted,
    StoreUnavailable,
    WorkersUnavailable,
)
from inference.experiments import load_experiment
from inference.journal import LOCK_NAME, Journal, read_journal
from inference.runner import RunSummary
from inference.shards.asking import Shards, shard_of
from inference.shards.lease import Lease, lease_of, settled, take
from inference.shards.places import VARIABLE, Folder, run_held
from inference.shards.processes import _work
from inference.shards.worker import Work
from tests.inference.inference_fixtures import (
    Stub,
    answers,
    completion,
    failure,
    go,
    judge,
    lines,
    model,
    write_items,
)
from tests.inference.scripted import UNDER_WAY, Scripted, assert_each_has_one_answer, kill_a_worker

SPEECHES = load_experiment("speech-score")
# A dead process is noticed at once. One that only is slow keeps its shard for so long.
LEASE_S = 300.0
# Where a worker is to be missed: a test takes so long, and no busy machine stands still for it.
MISSED_S = 15.0
PRICED = {"usd_per_million_tokens_in": 100.0, "usd_per_million_tokens_out": 100.0}


@pytest.fixture
def endpoint() -> Any:
    scripted = Scripted()
    yield scripted
    scripted.close()


def split(folder: Path, endpoint: Stub, count: int, items: int = 60, **more: Any) -> RunSummary:
    spec = model(folder, endpoint, concurrency=4)
    shards = Shards(count, lease_s=more.pop("lease_s", LEASE_S)) if count else None
    return go(folder, SPEECHES, spec, write_items(folder, items), shards=shards, **more)


def test_requests_are_asked_once_for_any_shard_count(tmp_path: Path, endpoint: Scripted) -> None:
    first = split(tmp_path, endpoint, 3, limit=40)
    assert (first.status, first.answered) == ("complete", 40)
    assert endpoint.most <= 4
    by_three = {line["request_id"] for line in answers(tmp_path)}
    again = split(tmp_path, endpoint, 5)
    assert (again.already_answered, again.answered) == (40, 20)
    assert set(endpoint.asked().values()) == {1}
    assert_each_has_one_answer(tmp_path)
    for line in answers(tmp_path):
        shard = shard_of(line["request_id"], 3 if line["request_id"] in by_three else 5)
        assert line["part"].split("/")[0] == str(shard)


def test_requests_are_split_alike_and_evenly() -> None:
    ids = [f"{number * 2**52:064x}" for number in range(1, 9)]
    assert [shard_of(each, 4) for each in ids] == [shard_of(each, 4) for each in ids]
    assert {shard_of(f"{number:015x}" + "0" * 49, 4) for number in range(4)} == {0, 1, 2, 3}


def test_a_killed_worker_costs_only_what_was_in_flight(tmp_path: Path, endpoint: Scripted) -> None:
    endpoint.at = {12: kill_a_worker, 30: kill_a_worker}
    summary = split(tmp_path, endpoint, 3)
    assert (summary.status, summary.answered) == ("complete", 60)
    assert endpoint.at == {}
    assert sum(endpoint.asked().values()) <= 60 + 2 * UNDER_WAY
    assert_each_has_one_answer(tmp_path)


def test_a_stopped_worker_that_wakes_up_adds_no_answers(tmp_path: Path, endpoint: Scripted) -> None:
    stopped: list[int] = []

    def wake() -> None:
        os.kill(stopped[0], signal.SIGCONT)
        time.sleep(0.7)

    # By then the other shard is through, so that it is the successor who asks.
    endpoint.at = {8: lambda: stopped.append(kill_a_worker(signal.SIGSTOP)), 52: wake}
    summary = split(tmp_path, endpoint, 2, lease_s=MISSED_S)
    assert (summary.status, summary.answered, endpoint.at) == ("complete", 60, {})
    assert sum(endpoint.asked().values()) <= 60 + UNDER_WAY
    assert_each_has_one_answer(tmp_path)


def test_a_worker_that_stops_before_it_takes_up_its_lease_is_missed(
    tmp_path: Path, endpoint: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inference.shards.processes._work", _stopped_at_first)
    monkeypatch.setattr("inference.shards.asking._START_S", 0.0)
    summary = split(tmp_path, endpoint, 2, lease_s=MISSED_S)
    assert (summary.status, summary.answered) == ("complete", 60)
    assert_each_has_one_answer(tmp_path)
    (shards,) = (tmp_path / "journal").glob("*/shards")
    assert Folder(shards).lease("0", 1)["pid"] == os.getpid()


def _stopped_at_first(end: socket.socket, work: Work, environ: dict[str, str]) -> None:
    """Do what a worker does, but for the first of a shard."""
    if (work.shard, work.epoch) == ("0", 1):
        os.kill(os.getpid(), signal.SIGSTOP)
    _work(end, work, environ)


def test_what_is_written_behind_the_seal_does_not_count(tmp_path: Path) -> None:
    place = Folder(tmp_path / "shards")
    lease = Lease(place, "0", take(place, "0", 60), 60)
    with place.journal(lease) as journal:
        journal.append_now({"kind": "answer", "request_id": "first"})
        assert take(place, "0", 60) == 2
        journal.append_now({"kind": "answer", "request_id": "late"})
    assert [line["request_id"] for line in place.lines("0", 1)] == ["first"]
    place.seal("0", 1)
    assert [line["request_id"] for line in place.lines("0", 1)] == ["first"]
    lease.renew()
    with pytest.raises(LeaseLost, match=r"shard 0 is another worker's .* epoch 1"):
        lease.check()


def test_a_lease_that_was_not_renewed_lets_nobody_write(tmp_path: Path) -> None:
    place = Folder(tmp_path / "shards")
    lease = Lease(place, "0", take(place, "0", 60), 0.05)
    with place.journal(lease) as journal:
        time.sleep(0.1)
        with pytest.raises(LeaseLost):
            journal.append_now({"kind": "answer", "request_id": "late"})
    place.seal("0", 1)
    assert list(place.lines("0", 1)) == []


def test_one_of_many_takes_an_epoch(tmp_path: Path) -> None:
    place = Folder(tmp_path / "shards")
    taken = [place.begin("0", 1, lease_of("now", 60)) for _ in range(3)]
    assert taken == [True, False, False]


def test_a_run_that_is_held_names_its_holder(tmp_path: Path) -> None:
    place = Folder(tmp_path / "shards")

    async def hold_twice() -> None:
        with Journal.open(tmp_path) as journal:
            async with run_held(place, journal, MISSED_S):
                await settled(place, "run")

    named = rf"shards: this run is held by process {os.getpid()} on .* since 20"
    with pytest.raises(LeaseHeld, match=named):
        asyncio.run(hold_twice())
    assert place.is_sealed("run", 1)


@pytest.mark.parametrize("then", [0, 2])
def test_a_run_resumes_after_all_are_killed(tmp_path: Path, endpoint: Scripted, then: int) -> None:
    run = multiprocessing.get_context("forkserver").Process(
        target=_split_elsewhere, args=(tmp_path, endpoint.url)
    )
    ended: list[bool] = []
    endpoint.at = {25: lambda: (os.kill(run.pid or 0, signal.SIGKILL), ended.append(True))}
    run.start()
    run.join()
    assert ended == [True]
    _wait_for_workers(tmp_path)
    answered = _lines_of_parts(tmp_path)
    assert len(answered) >= 25 - 2 * UNDER_WAY
    summary = split(tmp_path, endpoint, then)
    assert (summary.status, summary.already_answered) == ("complete", len(answered))
    assert_each_has_one_answer(tmp_path)


def _wait_for_workers(folder: Path) -> None:
    for path in (folder / "journal").glob(f"*/shards/*/*/{LOCK_NAME}"):
        with path.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)


def _split_elsewhere(folder: Path, url: str) -> None:
    spec = judge(folder, "openai/a-model", base_url=url, concurrency=4)
    go(folder, SPEECHES, spec, write_items(folder, 60), shards=Shards(3))


def _lines_of_parts(folder: Path) -> set[str]:
    return {
        line["request_id"]
        for path in (folder / "journal").glob("*/shards/*/*/responses.jsonl")
        for line in read_journal(path)
    }


def test_answers_that_were_half_brought_home_come_once(tmp_path: Path, endpoint: Scripted) -> None:
    split(tmp_path, endpoint, 2)
    (journal,) = (tmp_path / "journal").glob("*/responses.jsonl")
    whole = journal.read_bytes().splitlines(keepends=True)
    last = max(n for n, line in enumerate(whole) if b'"kind":"answer"' in line)
    # As a kill in the midst of copying leaves it.
    journal.write_bytes(b"".join(whole[: last - 5]) + whole[last][:30])
    summary = split(tmp_path, endpoint, 2)
    assert (summary.status, summary.answered) == ("complete", 0)
    assert_each_has_one_answer(tmp_path)
    assert sum(endpoint.asked().values()) == 60


def test_a_budget_is_that_of_all_shards(tmp_path: Path, stub: Stub) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 1}
    stub.react = lambda body, number: completion(usage=usage)
    # $0.1 an answer.
    spec = model(tmp_path, stub, concurrency=3, **PRICED)
    items = write_items(tmp_path, 40, texts=[f"Speech number {number}." for number in range(40)])
    first = go(tmp_path, SPEECHES, spec, items, shards=Shards(3), budget_usd=2.0)
    assert first.status == "over_budget"
    assert 10 <= first.answered <= 20
    more = go(tmp_path, SPEECHES, spec, items, shards=Shards(2), budget_usd=3.0)
    assert (more.status, more.already_answered) == ("over_budget", first.answered)
    assert 20 <= len(stub.bodies) == len(answers(tmp_path)) <= 30


def test_a_rate_is_that_of_all_shards(tmp_path: Path, endpoint: Scripted) -> None:
    spec = model(tmp_path, endpoint, concurrency=8, requests_per_minute=600)
    began = time.monotonic()
    go(tmp_path, SPEECHES, spec, write_items(tmp_path, 30), shards=Shards(3))
    # Ten at once, then ten a second.
    assert time.monotonic() - began >= 2.0


def test_what_fails_is_counted_once_and_asked_by_the_next_start(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda body, number: failure(400, "no") if number <= 5 else completion()
    first = split(tmp_path, stub, 2)
    assert (first.status, first.errors) == ("partial", {"bad_request": 5})
    again = split(tmp_path, stub, 2)
    assert (again.status, again.answered, again.already_answered) == ("complete", 5, 55)


def test_an_endpoint_out_of_reach_ends_all_shards(tmp_path: Path, stub: Stub) -> None:
    stub.react = lambda body, number: failure(401, "no such key")
    with pytest.raises(JudgeUnavailable, match="refused the key in OPENAI_API_KEY"):
        split(tmp_path, stub, 2)
    assert lines(tmp_path)[-1]["status"] == "failed"


def test_a_worker_without_a_key_ends_the_run(tmp_path: Path, stub: Stub) -> None:
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        split(tmp_path, stub, 2, environ={})


def test_a_signal_ends_workers_in_good_order(tmp_path: Path, endpoint: Scripted) -> None:
    endpoint.at = {10: lambda: os.kill(os.getpid(), signal.SIGTERM)}
    with pytest.raises(RunInterrupted, match=r"stopped by a signal with \d+ of 60"):
        split(tmp_path, endpoint, 2)
    assert multiprocessing.active_children() == []
    before = sum(endpoint.asked().values())
    assert len(answers(tmp_path)) == before
    split(tmp_path, endpoint, 2)
    assert set(endpoint.asked().values()) == {1}


@pytest.mark.parametrize(
    ("judge_id", "shards", "named"),
    [
        ("openai/a-model", Shards(0), "the number of shards is 0; it must be 1 or more"),
        ("openai/a-model", Shards(2, "spark"), "workers cannot run on 'spark'; choose ray"),
        ("batch/openai/a-model", Shards(2), "a batch is sent as a whole"),
    ],
)
def test_an_unsplittable_run_is_refused(
    tmp_path: Path, stub: Stub, judge_id: str, shards: Shards, named: str
) -> None:
    spec = model(tmp_path, stub, judge_id)
    with pytest.raises(BadSettings, match=named):
        go(tmp_path, SPEECHES, spec, write_items(tmp_path), shards=shards)


def test_missing_packages_are_named(
    tmp_path: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("inference.shards.on_ray.version", missing)
    spec, items = model(tmp_path, stub), write_items(tmp_path)
    with pytest.raises(
        WorkersUnavailable, match=r"not installed: pip install -c .* -e '\.\[ray\]'"
    ):
        go(tmp_path, SPEECHES, spec, items, shards=Shards(2, "ray"))
    monkeypatch.setitem(sys.modules, "boto3", None)
    monkeypatch.setenv(VARIABLE, "s3://bucket/journals")
    with pytest.raises(
        StoreUnavailable, match=r"not installed: pip install -c .* -e '\.\[store\]'"
    ):
        go(tmp_path, SPEECHES, spec, items, shards=Shards(2))
    assert stub.bodies == []


def test_machines_share_journals(
    tmp_path: Path, endpoint: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "shared"))
    for home in ("first", "second"):
        (tmp_path / home).mkdir()
    split(tmp_path / "first", endpoint, 2, limit=20)
    summary = split(tmp_path / "second", endpoint, 0, limit=20)
    assert (summary.status, summary.already_answered) == ("complete", 20)
    assert set(endpoint.asked().values()) == {1}
