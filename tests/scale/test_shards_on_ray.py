"""Runs in shards as tasks of a Ray cluster whose nodes are killed."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import psutil
import pytest

from inference.errors import MissingKey, WorkersUnavailable
from inference.experiments import load_experiment
from inference.runner import RunSummary
from inference.runs.rates import VARIABLE as RATES
from inference.runs.rates import shared_rates
from inference.shards.asking import Shards
from tests.inference.endpoint import Sent
from tests.inference.inference_fixtures import (
    Reaction,
    Stub,
    answers,
    completion,
    go,
    model,
    write_items,
)
from tests.inference.scripted import UNDER_WAY, Scripted, assert_each_has_one_answer
from tests.scale.conftest import Postgres
from tests.scale.ray_cluster import Nodes, cluster, nodes  # noqa: F401

pytestmark = pytest.mark.scale("ray")

SPEECHES = load_experiment("speech-score")
# Ray says when a worker has died. One that only is slow keeps its shard for so long.
LEASE_S = 300.0
PRICED = {"usd_per_million_tokens_in": 100.0, "usd_per_million_tokens_out": 100.0}


@pytest.fixture
def endpoint() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


def split(folder: Path, endpoint: Stub, count: int, on: str = "ray", **more: Any) -> RunSummary:
    spec = model(folder, endpoint, concurrency=4)
    shards = Shards(count, on, lease_s=LEASE_S)
    return go(folder, SPEECHES, spec, write_items(folder, 60), shards=shards, **more)


def refuse_another_version(
    folder: Path, endpoint: Scripted, on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytest.importorskip("ray"), "__version__", "2.58.0")
    with pytest.raises(WorkersUnavailable, match=r"another version .*2\.58\.0.*-e '\.\[ray\]'"):
        split(folder, endpoint, 2, on)
    assert endpoint.bodies == []


class Known(Scripted):
    """An endpoint that knows the process that asks."""

    def __init__(self) -> None:
        self._asking = threading.local()
        super().__init__()

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
        self._asking.port = handler.client_address[1]
        return super().serve(handler, data)

    def node_among(self, nodes_there: Sequence[Any]) -> Any:
        above = {each.pid for each in psutil.Process(_process_at(self._asking.port)).parents()}
        return next(
            node
            for node in nodes_there
            for each in node.all_processes["raylet"]
            if each.process.pid in above
        )


@pytest.fixture
def known() -> Iterator[Known]:
    made = Known()
    yield made
    made.close()


class Costly(Scripted):
    """An endpoint that takes $0.1 for an answer, notes when it was asked, and kills who asks."""

    def __init__(self, kills_at: int) -> None:
        self.asked_at: list[float] = []
        self.kills_at = kills_at
        super().__init__()

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
        with self._lock:
            self.asked_at.append(time.time())
            is_last = len(self.asked_at) == self.kills_at
        if is_last:
            os.kill(_process_at(handler.client_address[1]), signal.SIGKILL)
        return super().serve(handler, data)

    def _react(self, body: dict[str, Any], number: int) -> Reaction:
        super()._react(body, number)
        return completion(usage={"prompt_tokens": 1000, "completion_tokens": 1})


def _process_at(port: int) -> int:
    """Return which process of this machine has a connection from a port."""
    return next(
        each.pid
        for each in psutil.net_connections("tcp")
        if each.pid and each.raddr and each.laddr.port == port
    )


@pytest.fixture
def costly() -> Iterator[Costly]:
    made = Costly(kills_at=12)
    yield made
    made.close()


@pytest.mark.scale("psycopg2")
def test_shards_keep_one_rate_and_one_budget_together_and_with_other_runs(
    tmp_path: Path,
    costly: Costly,
    cluster: Any,  # noqa: F811
    postgres: Postgres,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    per_minute, burst, others = 600, 10, 8
    database = postgres.new_database()
    monkeypatch.setenv(RATES, database)
    first_permit = _note_first_permit(database)
    spec = model(tmp_path, costly, concurrency=4, requests_per_minute=per_minute, **PRICED)
    texts = [f"Speech number {number}." for number in range(80)]
    items = write_items(tmp_path, 80, texts=texts)
    taken_at: list[float] = []

    def take() -> None:
        rates = shared_rates(spec)
        assert rates is not None
        while len(taken_at) < others:
            if (wait_s := rates.take(1, 0)) > 0:
                time.sleep(wait_s)
            else:
                taken_at.append(time.time())

    another_run = threading.Thread(target=take)
    costly.at = {5: another_run.start}
    first = go(
        tmp_path, SPEECHES, spec, items, shards=Shards(3, "ray", lease_s=LEASE_S), budget_usd=5.0
    )
    another_run.join()
    assert (first.status, costly.at) == ("over_budget", {})
    # All that a dead worker may have sent counts as paid for, until the run is started again: where it
    # was the first to ask, that may be all of the budget.
    assert costly.kills_at <= len(costly.asked_at) <= 50
    permits = sorted([*costly.asked_at, *taken_at])
    first_at = first_permit()
    for count, when in enumerate(permits, 1):
        assert count <= burst + (when - first_at) * per_minute / 60 + 0.5
    # What the dead worker had under way is in no journal.
    more = go(tmp_path, SPEECHES, spec, items, shards=Shards(2), budget_usd=6.0)
    assert (more.status, more.answered > 0) == ("over_budget", True)
    assert len(costly.asked_at) <= 60 + UNDER_WAY
    ids = [line["request_id"] for line in answers(tmp_path)]
    assert len(ids) == len(set(ids))


def _note_first_permit(database: str) -> Callable[[], float]:
    """Let the table of rates keep when its row was made, and return what looks that up."""
    import psycopg2

    with closing(psycopg2.connect(database)) as connection, connection, connection.cursor() as made:
        made.execute(
            "create table rostrum_rates (name text primary key, requests double precision, "
            "tokens double precision, at timestamptz not null, "
            "made_at timestamptz not null default clock_timestamp())"
        )

    def looked_up() -> float:
        with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
            cursor.execute(
                "select extract(epoch from made_at)::double precision from rostrum_rates"
            )
            ((found,),) = cursor.fetchall()
            return float(found)

    return looked_up


def test_a_dead_node_and_a_dead_worker_cost_what_they_had_under_way(
    tmp_path: Path,
    known: Known,
    cluster: Any,  # noqa: F811
) -> None:
    # It has no answer to this one: whoever asked cannot have ended before.
    known.at = {
        15: lambda: cluster.remove_node(
            known.node_among(cluster.worker_nodes), allow_graceful=False
        )
    }
    summary = split(tmp_path, known, 3)
    assert (summary.status, summary.answered, known.at) == ("complete", 60, {})
    assert sum(known.asked().values()) <= 60 + 2 * UNDER_WAY
    assert_each_has_one_answer(tmp_path)
    assert any("/2:" in line["part"] for line in answers(tmp_path))
    again = split(tmp_path, known, 2)
    assert (again.status, again.already_answered) == ("complete", 60)
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        split(tmp_path, known, 2, environ={}, is_fresh=True)


def test_a_cluster_of_another_version_is_told_apart(
    tmp_path: Path,
    endpoint: Scripted,
    nodes: Nodes,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", nodes.cluster.address)
    refuse_another_version(tmp_path, endpoint, "ray", monkeypatch)


def test_a_machine_outside_the_cluster_runs_shards_in_it(
    tmp_path: Path,
    endpoint: Scripted,
    nodes: Nodes,  # noqa: F811
) -> None:
    summary = split(tmp_path, endpoint, 2, f"ray://127.0.0.1:{nodes.client_port}")
    assert (summary.status, summary.answered) == ("complete", 60)
    assert set(endpoint.asked().values()) == {1}
    assert_each_has_one_answer(tmp_path)


# What follows a client's failed connection in the same process is a client's, too.
def test_a_cluster_of_another_version_is_told_apart_from_outside(
    tmp_path: Path,
    endpoint: Scripted,
    nodes: Nodes,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = f"ray://127.0.0.1:{nodes.client_port}"
    refuse_another_version(tmp_path, endpoint, address, monkeypatch)


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (RuntimeError("Starting Ray client server failed. See ray_client_server_28755.err"), 4),
        (
            ConnectionError(
                "Initialization failure from server:\nProxy failed to Connect to backend!"
            ),
            4,
        ),
        (
            ConnectionError(
                "Initialization failure from server:\nTraceback (most recent call last):\n"
                "    if not self.proxy_manager.start_specific_server(\n"
                "psutil.ZombieProcess: PID still exists but it's a zombie (pid=16847)"
            ),
            4,
        ),
        (ConnectionError("ray client connection timeout"), 1),
    ],
    ids=["failed", "unreachable", "ended", "away"],
)
def test_a_server_for_a_client_that_ends_as_it_starts_is_asked_for_again(
    tmp_path: Path,
    endpoint: Scripted,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    tries: int,
) -> None:
    tried = []

    def fail(**given: object) -> None:
        tried.append(given["address"])
        raise error

    monkeypatch.setattr(pytest.importorskip("ray"), "init", fail)
    with pytest.raises(WorkersUnavailable, match=r"no Ray cluster at ray://127.0.0.1:9"):
        split(tmp_path, endpoint, 2, "ray://127.0.0.1:9")
    assert tried == ["ray://127.0.0.1:9"] * tries


def test_a_cluster_that_is_not_there_is_named(tmp_path: Path, endpoint: Scripted) -> None:
    pytest.importorskip("ray")
    with pytest.raises(WorkersUnavailable, match=r"no Ray cluster at ray://127.0.0.1:9"):
        split(tmp_path, endpoint, 2, "ray://127.0.0.1:9")
