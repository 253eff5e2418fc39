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
from tests.scale.ray_cluster import cluster  # noqa: F401

pytestmark = pytest.mark.scale("ray")

SPEECHES = load_experiment("speech-score")


@pytest.fixture
def endpoint() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


def split(folder: Path, endpoint: Stub, count: int, **more: Any) -> RunSummary:
    spec = model(folder, endpoint, concurrency=4)
    return go(folder, SPEECHES, spec, write_items(folder, 60), shards=Shards(count, "ray"), **more)


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


def test_a_cluster_that_is_not_there_is_named(tmp_path: Path, endpoint: Scripted) -> None:
    pytest.importorskip("ray")
    spec = model(tmp_path, endpoint)
    with pytest.raises(WorkersUnavailable, match=r"no Ray cluster at ray://127.0.0.1:9"):
        go(
            tmp_path,
            SPEECHES,
            spec,
            write_items(tmp_path),
            shards=Shards(2, "ray://127.0.0.1:9"),
        )


@pytest.mark.parametrize(
    "said",
    [
        "Version mismatch: The cluster was started with: Ray: 2.58.0 Python: 3.12.3",
        "Client Ray installation incompatible with server: client is at 2.60.0, server at 2.58.0",
    ],
)
def test_a_cluster_of_another_version_is_told_apart(
    tmp_path: Path, endpoint: Scripted, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    def refuse(**_: Any) -> None:
        raise RuntimeError(said)

    monkeypatch.setattr(pytest.importorskip("ray"), "init", refuse)
    with pytest.raises(WorkersUnavailable, match=r"another version .*2\.58\.0.*rostrum\[ray\]"):
        split(tmp_path, endpoint, 2)
