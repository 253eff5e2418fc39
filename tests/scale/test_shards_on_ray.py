"""Runs in shards as tasks of a Ray cluster whose nodes are killed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inference.errors import MissingKey, WorkersUnavailable
from inference.experiments import load_experiment
from inference.runner import RunSummary
from inference.shards.asking import Shards
from tests.inference.inference_fixtures import Stub, answers, go, model, write_items
from tests.inference.scripted import UNDER_WAY, Scripted, assert_each_has_one_answer
from tests.scale.ray_cluster import Nodes, cluster, nodes  # noqa: F401

pytestmark = pytest.mark.scale("ray")

SPEECHES = load_experiment("speech-score")
# Ray says when a worker has died. One that only is slow keeps its shard for so long.
LEASE_S = 300.0


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
    with pytest.raises(WorkersUnavailable, match=r"another version .*2\.58\.0.*rostrum\[ray\]"):
        split(folder, endpoint, 2, on)
    assert endpoint.bodies == []


def test_a_dead_node_and_a_dead_worker_cost_what_they_had_under_way(
    tmp_path: Path,
    endpoint: Scripted,
    cluster: Any,  # noqa: F811
) -> None:
    def kill_a_node() -> None:
        node = sorted(cluster.worker_nodes, key=str)[0]
        threading.Thread(target=cluster.remove_node, args=(node, False)).start()

    endpoint.at = {15: kill_a_node}
    summary = split(tmp_path, endpoint, 3)
    assert (summary.status, summary.answered, endpoint.at) == ("complete", 60, {})
    assert sum(endpoint.asked().values()) <= 60 + 2 * UNDER_WAY
    assert_each_has_one_answer(tmp_path)
    assert any("/2:" in line["part"] for line in answers(tmp_path))
    again = split(tmp_path, endpoint, 2)
    assert (again.status, again.already_answered) == ("complete", 60)
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        split(tmp_path, endpoint, 2, environ={}, is_fresh=True)


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


def test_a_cluster_that_is_not_there_is_named(tmp_path: Path, endpoint: Scripted) -> None:
    pytest.importorskip("ray")
    with pytest.raises(WorkersUnavailable, match=r"no Ray cluster at ray://127.0.0.1:9"):
        split(tmp_path, endpoint, 2, "ray://127.0.0.1:9")
